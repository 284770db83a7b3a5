import fc from 'fast-check'
import { request as fuzzed } from '../../lab/fuzz/grammar'
import type { ColumnType } from '../../lib/schema'
import { chanceFrom } from '../../lab/requests/chance'
import { condition } from '../../lab/requests/conditions'
import { hostileWords } from '../../lab/requests/hostile-words'
import { magazine } from '../../lab/requests/magazine'
import { allOperators, comparison, operatorsFor } from '../../lab/requests/operators'
import { type Filter, printRequest } from '../../lab/requests/request'
import type { KnownType } from '../../lab/requests/vocabulary'
import { textRequests, valueRequests } from '../corpus/agreement/requests'
import { worldOf } from '../meaning/world'
import { randomAsking } from '../support/arbitrary-requests'
import { answer } from '../support/oracle'
import { type Definition, store } from '../support/oracle-content'

const kinds: Readonly<Record<ColumnType, true>> = {
  ...{ id: true, string: true, integer: true, biginteger: true, float: true, decimal: true, boolean: true },
  ...{ date: true, time: true, datetime: true, timestamp: true, json: true },
}
const allKinds = Object.keys(kinds) as ColumnType[]
/** The types that a definition can have. */
const ownKinds = allKinds.filter((kind) => kind !== 'id')

function comparisonsIn(filter: Filter, name = ''): readonly string[] {
  if ('all' in filter) return filter.all.flatMap((one) => comparisonsIn(one, name))
  if ('any' in filter) return filter.any.flatMap((one) => comparisonsIn(one, name))
  if ('not' in filter) return comparisonsIn(filter.not, name)
  if ('which' in filter) return comparisonsIn(filter.of, name)
  if ('count' in filter) return comparisonsIn(filter.count, name)
  if ('at' in filter) return comparisonsIn(filter.of, filter.at)
  return [`${name} ${filter.operator}`]
}

const seeds = (count: number): readonly number[] => Array.from({ length: count }, (_, seed) => seed)
const operatorsIn = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => decodeURIComponent(text).match(/(?<=\[)\$\w+(?=\])/g) ?? []))
const shared = allOperators.filter((operator) =>
  allKinds.some((kind) => operatorsFor(kind).includes(operator)),
)

describe('random requests', () => {
  it('compare attributes of each type with every operator of that type', () => {
    const type: KnownType = {
      uid: 'api::one.one',
      isComponent: false,
      scalars: allKinds.map((kind) => ({ name: kind, kind })),
      links: [],
    }
    const words = { ...hostileWords(chanceFrom(1), magazine), operators: operatorsFor }
    const drawn = seeds(10_000).flatMap((seed) =>
      comparisonsIn(condition({ chance: chanceFrom(seed), types: new Map(), words }, type, 0)),
    )
    const meant = allKinds.flatMap((kind) => operatorsFor(kind).map((operator) => `${kind} ${operator}`))
    expect(meant.length).toBeGreaterThan(100)
    expect(meant.filter((one) => !drawn.includes(one))).toEqual([])
  })

  it('of the fuzzer use every operator of the library', () => {
    const drawn = operatorsIn(seeds(4_000).map((seed) => queryOf(fuzzed(chanceFrom(seed)).path)))
    expect(allOperators.filter((operator) => !drawn.has(operator))).toEqual([])
  })

  it('for the oracle use every operator that means the same on every database', () => {
    const world = worldOf(1)
    const asking = randomAsking(store(world.definitions, world.content), world.roles)
    const filters = fc
      .sample(asking, { seed: 1, numRuns: 2_000 })
      .flatMap(({ request }) => (request.filters === undefined ? [] : comparisonsIn(request.filters)))
    const drawn = new Set(filters.map((one) => one.split(' ')[1]))
    expect(shared.filter((operator) => !drawn.has(operator))).toEqual([])
    expect(drawn.size).toBe(shared.length)
  })

  it('for Strapi use nothing that Strapi does not have', () => {
    const world = worldOf(1)
    const beyond = /\[?\$(some|none|every|count)\b|fallback/
    const asked = (beyondStrapi: boolean): readonly string[] =>
      fc
        .sample(randomAsking(store(world.definitions, world.content), world.roles, { beyondStrapi }), {
          seed: 1,
          numRuns: 2_000,
        })
        .map(({ request }) => decodeURIComponent(printRequest(request)))
        .filter((text) => beyond.test(text))
    expect(asked(true).length).toBeGreaterThan(100)
    expect(asked(false)).toEqual([])
  })

  it('use only operators that the oracle knows for the type of the attribute', () => {
    const one: Definition = {
      ...{ uid: 'api::one.one', kind: 'collectionType', collectionName: 'ones' },
      info: { singularName: 'one', pluralName: 'ones' },
      options: { draftAndPublish: false },
      pluginOptions: { i18n: { localized: false } },
      attributes: Object.fromEntries(ownKinds.map((type) => [type, { type }])),
    }
    const given = Object.fromEntries(ownKinds.map((kind) => [kind, '1']))
    const stored = store([one], { [one.uid]: [{ $ref: 'one', documentId: 'one', ...given }] })
    const options = { relations: 'flat', localizations: 'flat', unlistedZoneElements: 'stub' } as const
    const grants = { find: [one.uid], drafts: [] }
    for (const kind of ownKinds)
      for (const operator of operatorsFor(kind)) {
        const filters = { at: kind, of: comparison(operator, ['1', '2']) }
        const asked = { style: 'indexes', dotted: false, filters } as const
        const { status } = answer(stored, options, grants, { uid: one.uid }, asked)
        expect([kind, operator, status]).toEqual([kind, operator, 200])
      }
  })

  it('for the comparison of databases use every operator that means the same on all of them', () => {
    const drawn = operatorsIn([...textRequests, ...valueRequests].map(({ path }) => path))
    expect(shared.filter((operator) => !drawn.has(operator))).toEqual([])
  })

  it('are the same for the same seed, and differ for another', () => {
    const made = (seed: number): string => JSON.stringify(fuzzed(chanceFrom(seed)))
    expect(seeds(100).map(made)).toEqual(seeds(100).map(made))
    expect(new Set(seeds(100).map(made)).size).toBeGreaterThan(95)
  })
})

/** The query without invalid escapes. */
function queryOf(path: string): string {
  return path.replaceAll(/%(?![0-9a-f]{2})/gi, '').replaceAll(/%[89a-f][0-9a-f]/gi, '')
}
