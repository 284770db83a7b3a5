import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** The name under which the database is to keep a statement of this text; none for what it is only to run. */
export type Preparing = (sql: string) => string | undefined

/** PostgreSQL keeps a named statement for as long as the connection lives: no more than its memory will not notice. */
const mostPrepared = 1000

/** Letters of texts that have not come often enough, of which anybody may cause as many as they like. */
const mostRemembered = 4_000_000

/** The same for the same text: connections may be shared with others who name statements. */
const nameOf = (sql: string): string => `content_router_${createHash('sha1').update(sql).digest('hex')}`

/**
 * Names what is run for the `from`th time. Runs are counted by the text, whichever plan it is of: requests that differ in
 * values alone ask the same, as do most of those that read the same below different pages.
 */
export function makePreparing({ from }: { readonly from: number }): Preparing {
  const names = new Map<string, string>()
  const runs = new LRUCache<string, number>({
    maxSize: mostRemembered,
    sizeCalculation: (_, sql) => sql.length,
  })
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    const run = (runs.get(sql) ?? 0) + 1
    if (run < from) {
      runs.set(sql, run)
      return undefined
    }
    if (names.size === mostPrepared) return undefined
    runs.delete(sql)
    const name = nameOf(sql)
    names.set(sql, name)
    return name
  }
}

export const neverPrepared: Preparing = () => undefined
