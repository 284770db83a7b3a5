import fc from 'fast-check'
import { RequestError } from '../../lib/errors'
import {
  type LevelQuery,
  type QueryCondition,
  type QueryPopulate,
  type RawValue,
  parseQuery,
  type Query,
} from '../../lib/query'
import { randomAsking } from '../support/arbitrary-requests'
import { anyQueryText, deepQueryText } from '../support/arbitrary-texts'
import { mostLevels } from '../support/deep-queries'
import { store } from '../support/oracle-content'
import { queryLimits } from '../support/query-limits'
import {
  type Ask as Wanted,
  differing,
  type Filter,
  printRequest,
  type Request,
  type SortKey,
} from '../../lab/requests/request'
import { firstSeed, runs } from '../support/property-runs'
import { worldOf } from '../meaning/world'

const patience = 2000

/** How many keys are too many is the router's to say; what a text means is not. */
const roomy = { ...queryLimits, maxSortKeys: Infinity }

function outcomeOf(text: string): string {
  try {
    parseQuery(text, queryLimits)
    return 'a query'
  } catch (error) {
    return error instanceof RequestError && error.status === 400 ? 'refused' : String(error)
  }
}

// What was parsed, without the paths, in the words of the request that was printed.

function textOf(value: RawValue): string | null {
  if (typeof value === 'object' && value !== null) throw new Error('a client knows no word for whoever asks')
  return value
}

function filterOf(asked: QueryCondition): Filter {
  switch (asked.op) {
    case 'and':
      return { all: asked.of.map(filterOf) }
    case 'or':
      return { any: asked.of.map(filterOf) }
    case 'not':
      return { not: filterOf(asked.of) }
    case 'at':
      return { at: asked.name, of: filterOf(asked.of) }
    case 'which':
      if (asked.quantifier === '$count') return { count: filterOf(asked.of) }
      return { which: asked.quantifier, of: filterOf(asked.of) }
    case 'compare': {
      const [only = null, ...others] = asked.values
      const many = others.length > 0 || ['$in', '$notIn'].includes(asked.operator)
      return {
        operator: asked.operator,
        value: many ? asked.values.map((one) => String(textOf(one))) : textOf(only),
      }
    }
  }
}

function populateOf({ all, entries }: QueryPopulate): Pick<Wanted, 'populate'> {
  if (all) return { populate: '*' }
  if (entries.length === 0) return {}
  return {
    populate: entries.map(({ name, query }) => ({ name, ask: query === null ? {} : askOf(query) })),
  }
}

function askOf(
  asked: Pick<LevelQuery, 'fields' | 'populate' | 'filters' | 'sort'> &
    Partial<Pick<LevelQuery, 'on' | 'count'>>,
): Wanted {
  const { fields, populate, filters, sort, on, count } = asked
  return {
    ...(fields === '*' ? {} : { fields: fields.names }),
    ...populateOf(populate),
    ...(filters === null ? {} : { filters: filterOf(filters) }),
    ...(sort.length === 0 ? {} : { sort: sort.map(({ names, direction }) => ({ names, direction })) }),
    ...(on === undefined || on === null
      ? {}
      : { on: on.map(({ name, query }) => ({ name, ask: query === null ? {} : askOf(query) })) }),
    ...(count === true ? { count } : {}),
  }
}

function requestOf(query: Query): Omit<Request, 'style' | 'dotted' | 'page'> {
  const { status, locale, fallback } = query
  return {
    ...askOf(query),
    ...(status === 'draft' ? { status } : {}),
    ...(locale === 'default' ? {} : { locale }),
    ...(fallback === 'default' ? {} : { fallback: fallback === 'none' ? [] : fallback }),
  }
}

/** What a request says, however it is written: a field asked for twice is asked for, and a sort key decides once. */
function said({ status, ...rest }: Request): unknown {
  const words = JSON.stringify(
    { ...rest, style: undefined, dotted: undefined, page: undefined },
    (key, value: unknown) => {
      if (key === 'sort') return differing(value as readonly SortKey[])
      return key === 'fields' ? [...new Set(value as string[])] : value
    },
  )
  return { ...(JSON.parse(words) as object), ...(status === 'draft' ? { status } : {}) }
}

interface Place {
  readonly asked: Query | LevelQuery | QueryCondition
  /** Of names, fragments and negations; groups are not told from conditions that stand side by side. */
  readonly depth: number
}

function belowAsk(asked: Query | LevelQuery, depth: number): Place[] {
  const { filters, populate } = asked
  const asks = [...populate.entries, ...('on' in asked ? (asked.on ?? []) : [])]
  const populated = asks.flatMap(({ query }) => (query === null ? [] : [{ asked: query, depth: depth + 1 }]))
  return filters === null ? populated : [...populated, { asked: filters, depth }]
}

function belowCondition(asked: QueryCondition, depth: number): Place[] {
  switch (asked.op) {
    case 'compare':
      return []
    case 'and':
    case 'or':
      return asked.of.map((one) => ({ asked: one, depth }))
    case 'not':
    case 'at':
    case 'which':
      return [{ asked: asked.of, depth: depth + 1 }]
  }
}

const inItself = ({ sort, populate }: Query | LevelQuery): number =>
  Math.max(populate.all ? 1 : 0, ...sort.map(({ names }) => names.length))

/** How deep a query goes, told without going down on the stack. */
function depthOf(query: Query): number {
  let deepest = 0
  const places: Place[] = [{ asked: query, depth: 0 }]
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { asked, depth } = place
    const isCondition = 'op' in asked
    deepest = Math.max(deepest, isCondition ? depth : depth + inItself(asked))
    places.push(...(isCondition ? belowCondition(asked, depth) : belowAsk(asked, depth)))
  }
  return deepest
}

describe('any query text', () => {
  it('is parsed to a query of a limited depth, in any notation', () => {
    let refused = 0
    const property = fc.property(deepQueryText, (text) => {
      try {
        expect(depthOf(parseQuery(text, queryLimits))).toBeLessThanOrEqual(mostLevels)
      } catch (error) {
        if (!(error instanceof RequestError)) throw error
        if (error.message === `A query can have at most ${String(mostLevels)} levels`) refused += 1
      }
    })
    fc.assert(property, { seed: firstSeed, numRuns: runs(1000) })
    expect(refused).toBeGreaterThan(100)
  })

  it('is parsed or refused in bounded time', () => {
    const property = fc.property(anyQueryText, (text) => {
      const begun = performance.now()
      expect(['a query', 'refused']).toContain(outcomeOf(text))
      expect(performance.now() - begun).toBeLessThan(patience)
    })
    fc.assert(property, { seed: firstSeed, numRuns: runs(3000) })
  })

  it('is parsed the same twice', () => {
    const property = fc.property(anyQueryText, (text) => {
      expect(outcomeOf(text)).toBe(outcomeOf(text))
    })
    fc.assert(property, { seed: firstSeed, numRuns: runs(500) })
  })
})

describe('a request that is printed and parsed', () => {
  const world = worldOf(firstSeed)
  const asking = randomAsking(store(world.definitions, world.content), world.roles)

  it('has the same meaning', () => {
    const property = fc.property(asking, ({ request }) => {
      expect(requestOf(parseQuery(printRequest(request), roomy))).toEqual(said(request))
    })
    fc.assert(property, { seed: firstSeed, numRuns: runs(1000), endOnFailure: true })
  })

  it('has the same page', () => {
    const property = fc.property(asking, ({ request }) => {
      const { by = 'page', first = 1, size = 25, withCount = true } = request.page ?? {}
      const start = by === 'page' ? (first - 1) * size : first
      expect(parseQuery(printRequest(request), roomy).page).toEqual({
        by,
        start,
        limit: size,
        withCount,
      })
    })
    fc.assert(property, { seed: firstSeed, numRuns: runs(300), endOnFailure: true })
  })
})
