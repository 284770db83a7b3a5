import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Page, Served } from './served'

const newest = 'sort=place:desc&pagination[pageSize]=1'
const paths = [`steps?${newest}`, `steps?${newest}&populate=next`, `steps?filters[place][$gt]=0&${newest}`]

export interface TotalsRace {
  readonly knex: Knex
  readonly served: Served
  /** The statements that the router has sent. */
  readonly sql: string[]
  /** Entries that `steps` holds, with places from 1 on. */
  readonly entries: number
  readonly row: (place: number) => object
  /** Milliseconds without a commit, after which totals come from memory. */
  readonly rest: number
  readonly least: { readonly answers: number; readonly writes: number; readonly uncounted: number }
}

/** Entries come and go at the end, so that the place of the newest is the total. */
async function write({ knex, entries, row, rest }: TotalsRace, wrote: () => boolean): Promise<void> {
  let last = entries
  for (let writes = 1; wrote(); writes += 1) {
    const isMore = writes % 3 < 2
    if (isMore) await knex('steps').insert(row(last + 1))
    else await knex('steps').where({ place: last }).delete()
    last += isMore ? 1 : -1
    await pause(writes % 10 === 0 ? rest : 5)
  }
  await knex('steps').where('place', '>', entries).delete()
}

/** Reads pages while others write, and compares each total with what its page shows. */
export async function raceTotals(race: TotalsRace): Promise<void> {
  const { served, sql, least } = race
  const count = { answers: 0, writes: 0 }
  let isOver = false
  const writing = write(race, () => {
    count.writes += 1
    return !isOver
  })
  const uncounted = (): number => count.answers - sql.filter((one) => one.includes('count(')).length
  const read = async (path: string): Promise<void> => {
    while (count.answers < least.answers || count.writes < least.writes || uncounted() < least.uncounted) {
      const { data, meta }: Page = await served.page(path)
      count.answers += 1
      expect(data[0]?.['place']).toBe(meta.pagination['total'])
    }
  }
  sql.length = 0
  try {
    await Promise.all(paths.map(read))
  } finally {
    isOver = true
    await writing
  }
}
