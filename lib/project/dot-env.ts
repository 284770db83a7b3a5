const line =
  /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*('(?:[^'])*'|"(?:\\[^]|[^"\\])*"|`[^`]*`|[^\r\n]*?)[ \t]*(?:[ \t]#[^\r\n]*)?$/gm

function valueOf(raw: string): string {
  const quote = raw.charAt(0)
  const isQuoted = raw.length > 1 && [`'`, `"`, '`'].includes(quote) && raw.endsWith(quote)
  if (!isQuoted) return raw.startsWith('#') ? '' : raw.trim()
  const inner = raw.slice(1, -1)
  return quote === '"' ? inner.replaceAll('\\n', '\n').replaceAll('\\r', '\r').replaceAll('\\"', '"') : inner
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The variables of a `.env` file. */
export const readDotEnv = (text: string): Environment =>
  Object.fromEntries(
    [...text.replaceAll('\r\n', '\n').matchAll(line)].map(([, name = '', raw = '']) => [name, valueOf(raw)]),
  )
