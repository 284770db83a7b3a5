/** Characters that the driver escapes with a backslash. */
const escaped = /["'\\\p{Cc}]/u
const beyondAscii = /\P{ASCII}/u

/** Length of an escaped backslash depends on the server's mode. */
const backslash = `left('\\\\', 1)`

function quoted(text: string): string {
  const literal = (part: string): string => `'${part.replaceAll(`'`, `''`)}'`
  if (!text.includes('\\')) return literal(text)
  let mark = '<0>'
  for (let number = 1; text.includes(mark); number += 1) mark = `<${String(number)}>`
  return `replace(${literal(text.replaceAll('\\', mark))}, '${mark}', ${backslash})`
}

type WriteText = (text: string) => string | { readonly toSqlString: () => string }

export type PassValue = (value: unknown) => unknown

const writing = (write: WriteText): PassValue => {
  const writeValue: PassValue = (value) => {
    if (Array.isArray(value)) return typeof value[0] === 'string' ? value.map(writeValue) : (value as unknown)
    return typeof value === 'string' ? write(value) : value
  }
  return writeValue
}

/** Security: with NO_BACKSLASH_ESCAPES the backslashes of the driver escape nothing, and a quote ends the text. */
function inEveryMode(text: string): ReturnType<WriteText> {
  // MariaDB reads an empty literal as NULL in the mode EMPTY_STRING_IS_NULL.
  if (text === '') return { toSqlString: () => `left('-', 0)` }
  return escaped.test(text) ? { toSqlString: () => quoted(text) } : text
}

/** Other character sets would replace unknown letters by question marks. */
const inEverySet: WriteText = (text) =>
  beyondAscii.test(text)
    ? { toSqlString: () => `_utf8mb4 x'${Buffer.from(text).toString('hex')}'` }
    : inEveryMode(text)

/** By the character set of the session. */
export const mysqlQuoting = { utf8: writing(inEveryMode), other: writing(inEverySet) }
