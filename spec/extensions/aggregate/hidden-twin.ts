import fc from 'fast-check'
import { knex as makeKnex } from 'knex'
import { chanceFrom } from '../../../lab/requests/chance'
import type { TestDatabase } from '../../support/databases'
import { changesOfHidden } from '../../support/hidden-rows'
import type { Answered } from '../../support/host'
import type { Served } from '../../meaning/world'
import { type AggregateWorld, askingBy, urlOf, urlOfFacets } from './random-world'

/** Two databases that differ only in rows and values that one caller may not read. */
export interface HiddenTwin {
  readonly served: readonly [Served, Served]
  readonly caller: string
  /** The number of rows that differ. */
  readonly changes: number
  close(): Promise<void>
}

export async function serveHiddenTwin(
  aggregateWorld: AggregateWorld,
  database: TestDatabase,
  seed: number,
): Promise<HiddenTwin> {
  const { stored, rules, serve } = aggregateWorld
  const callers = [...rules.grants]
  const [caller, grants] = callers[seed % callers.length] ?? []
  if (caller === undefined || grants === undefined) throw new Error('the world has no caller')
  const { changes, make } = changesOfHidden(chanceFrom(seed), stored, [grants])
  const served = [await serve(database), await serve(database)] as const
  const knex = makeKnex({ ...served[1].database, useNullAsDefault: true })
  await make(knex).finally(() => knex.destroy())
  return {
    served,
    caller,
    changes: changes.size,
    close: async () => {
      for (const one of served) await one.close()
    },
  }
}

/** Errors have an id of their own. */
const withoutId = ({ text, ...others }: Answered): Answered => ({
  ...others,
  text: text.replace(/"id":"[0-9a-f-]{36}"/g, ''),
})

/** Status, headers with the ETag, and bytes of both databases are equal. Returns the number of each status. */
export async function expectEqualResponses(
  aggregateWorld: AggregateWorld,
  { served, caller }: HiddenTwin,
  { seed, runs }: { readonly seed: number; readonly runs: number },
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>()
  const property = fc.asyncProperty(askingBy(aggregateWorld, caller), async (asking) => {
    const facets = asking.asked.groups.length === 0 ? [] : [urlOfFacets(aggregateWorld, asking)]
    for (const url of [urlOf(aggregateWorld, asking), ...facets]) {
      const [one, other] = [
        withoutId(await served[0].host.ask(url, caller)),
        withoutId(await served[1].host.ask(url, caller)),
      ]
      expect({ url, caller, ...other }).toEqual({ url, caller, ...one })
      if (one.status >= 500)
        throw new Error(`${String(one.status)} for ${caller}: ${decodeURIComponent(url)}`)
      counts.set(one.status, (counts.get(one.status) ?? 0) + 1)
    }
  })
  await fc.assert(property, { seed, numRuns: runs, endOnFailure: true })
  return counts
}
