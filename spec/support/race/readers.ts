import type { Answer, Asker } from '../asker'

/** As browsers do: keeps what it got and asks whether it still holds. */
export function keepingTags({ ask }: Asker): (path: string) => Promise<Answer> {
  const kept = new Map<string, Answer>()
  return async (path) => {
    const known = kept.get(path)
    const etag = known?.headers.etag
    const got = await ask(path, etag === undefined ? {} : { 'If-None-Match': etag })
    if (got.status === 304 && known !== undefined) return known
    if (got.status === 200) kept.set(path, got)
    return got
  }
}
