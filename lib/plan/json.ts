import { malformed, type QueryPath } from '../errors'

/** MySQL's own limit. PostgreSQL's is the size of its stack, and MariaDB stores nothing that is so deep. */
const mostLevels = 100

/** Far from where a number has more digits than PostgreSQL counts. */
const mostDigits = 1000

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|-?\d[\d.eE+-]*/g

/** As a double, which is all that MySQL makes of it: not infinite, nor zero for what is none. */
function isCountable(text: string): boolean {
  const value = Number(text)
  const isZero = !/[1-9]/.test(text.replace(/e.*/i, ''))
  return Number.isFinite(value) && (value !== 0 || isZero) && text.length <= mostDigits
}

function problemOf(token: string, takesNul: boolean): string | null {
  if (!token.startsWith('"')) return isCountable(token) ? null : 'the JSON has a number that is out of range'
  const text = String(JSON.parse(token))
  if (/\p{Surrogate}/u.test(text)) return 'the JSON has half of a surrogate pair'
  return !takesNul && text.includes('\0') ? 'the JSON has a NUL' : null
}

/** JSON that the databases read as such: each has its limits, and beyond them an error. */
export function checkJson(text: string, takesNul: boolean, path: QueryPath): string {
  try {
    JSON.parse(text)
  } catch {
    throw malformed(path, 'Invalid value: JSON is expected')
  }
  let level = 0
  for (const [token] of text.matchAll(tokens)) {
    if (token === '[' || token === '{') level += 1
    else if (token === ']' || token === '}') level -= 1
    else {
      const problem = problemOf(token, takesNul)
      if (problem !== null) throw malformed(path, `Invalid value: ${problem}`)
    }
    if (level > mostLevels) {
      throw malformed(path, `Invalid value: JSON nests at most ${String(mostLevels)} levels deep`)
    }
  }
  return text
}
