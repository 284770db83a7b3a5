import { isDeepStrictEqual } from 'node:util'
import fc, { type Arbitrary } from 'fast-check'
import { aggregates } from '../../../extensions/aggregate'
import type { Grant } from '../../../lib'
import { type Chance, chanceFrom, happens, pick } from '../../../lab/requests/chance'
import type { RandomWorld } from '../../support/arbitrary-worlds'
import {
  type AskingGroups,
  printAggregates,
  printFacets,
  randomAggregates,
  withExactFloats,
} from '../../support/arbitrary-aggregates'
import { randomRules, type RandomRules } from '../../support/arbitrary-rules'
import { comparable } from '../../support/comparable'
import type { TestDatabase } from '../../support/databases'
import type { Expected, Grants } from '../../support/oracle'
import { aggregateAnswer, facetsAnswer, type MinGroup } from '../../support/oracle-aggregates'
import { isComponent, store, type Store } from '../../support/oracle-content'
import { pathOf, serveContent, type Served, worldOf } from '../../meaning/world'

/** For each role the smallest group of each type that it may aggregate. */
type MinGroups = Readonly<Record<string, Readonly<Record<string, number>>>>

function randomMinGroups(chance: Chance, roles: readonly string[], uids: readonly string[]): MinGroups {
  const ofRole = (): Record<string, number> =>
    Object.fromEntries(
      uids.flatMap((uid) => (happens(chance, 90) ? [[uid, pick(chance, [1, 1, 1, 2, 3])]] : [])),
    )
  return Object.fromEntries(roles.map((role) => [role, ofRole()]))
}

const grantOf = (minGroups: Readonly<Record<string, number>> = {}): object =>
  Object.fromEntries(
    Object.entries(minGroups).map(([uid, minGroup]) => [uid, minGroup === 1 ? true : { minGroup }]),
  )

export interface AggregateWorld {
  readonly world: RandomWorld
  readonly stored: Store
  readonly rules: RandomRules
  readonly grants: ReadonlyMap<string, Grants>
  readonly minGroupOf: (caller: string, uid: string) => MinGroup
  readonly serve: (database: TestDatabase) => Promise<Served>
}

const unlimited = 'everything@one'

/** A random model with random content, rules and grants for aggregates. Equal seeds make equal worlds. */
export function aggregateWorld(seed: number): AggregateWorld {
  const drawn = worldOf(seed)
  const world = { ...drawn, content: withExactFloats(drawn.content) }
  const stored = store(world.definitions, world.content)
  const chance = chanceFrom(seed)
  const rules = randomRules(chance, stored)
  const uids = world.definitions.filter((type) => !isComponent(type)).map(({ uid }) => uid)
  const minGroups = randomMinGroups(chance, Object.keys(rules.permissions), uids)
  const permissions = Object.fromEntries(
    Object.entries(rules.permissions).map(([name, grant]): [string, Grant] => [
      name,
      { ...grant, aggregate: grantOf(minGroups[name]) } as Grant,
    ]),
  )
  return {
    world,
    stored,
    rules,
    grants: new Map([...rules.grants, [unlimited, { find: uids, drafts: uids }]]),
    minGroupOf: (caller, uid) => {
      const [names = ''] = caller.split('@')
      if (names === 'everything') return 1
      const own = names.split(',').flatMap((name) => minGroups[name]?.[uid] ?? [])
      return own.length === 0 ? null : Math.min(...own)
    },
    serve: (database) =>
      serveContent(database, world.definitions, world.content, {
        permissions: { ...permissions, everything: { find: '*', drafts: '*', aggregate: '*' } },
        role: rules.role,
        extensions: [aggregates()],
      }),
  }
}

const grantsOf = ({ grants }: AggregateWorld, role: string): Grants => {
  const own = grants.get(role)
  if (own === undefined) throw new Error(`there is no role ${role}`)
  return own
}

/** Half of the requests come from a role without rules. */
export const askingIn = (world: AggregateWorld): Arbitrary<AskingGroups> =>
  fc.oneof(
    randomAggregates(world.stored, { [unlimited]: grantsOf(world, unlimited) }),
    randomAggregates(world.stored, Object.fromEntries(world.rules.grants)),
  )

/** Most of the requests come from one caller. */
export const askingBy = (world: AggregateWorld, caller: string): Arbitrary<AskingGroups> =>
  fc.oneof(
    { weight: 3, arbitrary: randomAggregates(world.stored, { [caller]: grantsOf(world, caller) }) },
    { weight: 1, arbitrary: askingIn(world) },
  )

export const urlOf = ({ world }: AggregateWorld, { asked }: AskingGroups): string =>
  `/flat${pathOf(world.definitions, { uid: asked.uid })}/aggregate?${printAggregates(asked)}`

export const urlOfFacets = ({ world }: AggregateWorld, { asked }: AskingGroups): string =>
  `/flat${pathOf(world.definitions, { uid: asked.uid })}?${printFacets(asked)}`

interface Outcome {
  readonly problem: string | null
  /** The number of groups. */
  readonly found: number
}

async function compare(
  served: Served,
  { role, url, expected }: { readonly role: string; readonly url: string; readonly expected: Expected },
  bodyOf: (body: unknown) => unknown,
): Promise<Outcome> {
  const { status, text } = await served.host.ask(url, role)
  const got = { status, body: status === 200 ? comparable(bodyOf(JSON.parse(text))) : null }
  const wanted = { status: expected.status, body: expected.status === 200 ? comparable(expected.body) : null }
  const { data = [] } = (wanted.body ?? {}) as { readonly data?: readonly unknown[] }
  if (status === expected.orStatus || isDeepStrictEqual(got, wanted))
    return { problem: null, found: data.length }
  const texts = [wanted, got].map((one) => JSON.stringify(one, null, 1))
  const refusal = status === 200 ? '' : text
  return {
    problem: `${role} ${decodeURIComponent(url)}\nexpected ${texts.join('\ngot ')}${refusal}`,
    found: 0,
  }
}

const facetsIn = (body: unknown): unknown =>
  (body as { readonly meta: { readonly facets: unknown } }).meta.facets

/** Every response is that of the oracle. Returns the number of responses with groups. */
export async function expectOracle(
  aggregateWorld: AggregateWorld,
  served: Served,
  { seed, runs }: { readonly seed: number; readonly runs: number },
): Promise<number> {
  const { stored, minGroupOf } = aggregateWorld
  let filled = 0
  const property = fc.asyncProperty(askingIn(aggregateWorld), async (asking) => {
    const { role, asked } = asking
    const grants = grantsOf(aggregateWorld, role)
    const minGroup = minGroupOf(role, asked.uid)
    const expected = aggregateAnswer(stored, grants, minGroup, asked)
    const { problem, found } = await compare(
      served,
      { role, url: urlOf(aggregateWorld, asking), expected },
      (body) => body,
    )
    expect(problem).toBeNull()
    if (found > 0) filled += 1
    if (asked.groups.length === 0) return
    const facets = facetsAnswer(stored, grants, minGroup, asked)
    const url = urlOfFacets(aggregateWorld, asking)
    expect((await compare(served, { role, url, expected: facets }, facetsIn)).problem).toBeNull()
  })
  await fc.assert(property, { seed, numRuns: runs, endOnFailure: true })
  return filled
}
