import { isDeepStrictEqual } from 'node:util'
import { strapi5 } from '../../extensions/strapi'
import { contentRouter, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { allOperators, kindOfValue } from '../../lab/requests/operators'
import {
  edge,
  edgeContent,
  type Edge,
  type JsonEdge,
  jsons,
  kinds,
  type Meaning,
  rowCount,
  storedJsons,
  written,
} from '../corpus/agreement/edges'
import { aThirdOf } from '../support/sweep'
import { eachDatabase, type TestDatabase } from '../support/databases'
import { type Host, serveRouters } from '../support/host'

const modes = {
  exact: {},
  strapi5: { extensions: [strapi5()] },
  database: { textMatching: 'database' },
} as const
type Mode = keyof typeof modes

/** How many requests are under way at once. */
const abreast = 4

interface Comparison {
  readonly query: (at: string) => string
  /** Null where one of the values is refused. */
  readonly meets: ((actual: Meaning) => boolean) | null
  readonly edges: readonly Edge[]
}

/** By value, texts by code point: numbers and big integers compare exactly. */
function order(one: Meaning, other: Meaning): number {
  if (typeof one === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : one > other ? 1 : 0
}

/** The two small sigmas are one letter. */
const fold = (value: Meaning): Meaning =>
  typeof value === 'string' ? value.toLowerCase().replaceAll('ς', 'σ') : value

type Meets = (actual: Meaning, wanted: Meaning) => boolean

const single: Readonly<Record<string, Meets>> = {
  $eq: (actual, wanted) => order(actual, wanted) === 0,
  $ne: (actual, wanted) => order(actual, wanted) !== 0,
  $eqi: (actual, wanted) => order(fold(actual), fold(wanted)) === 0,
  $nei: (actual, wanted) => order(fold(actual), fold(wanted)) !== 0,
  $lt: (actual, wanted) => order(actual, wanted) < 0,
  $lte: (actual, wanted) => order(actual, wanted) <= 0,
  $gt: (actual, wanted) => order(actual, wanted) > 0,
  $gte: (actual, wanted) => order(actual, wanted) >= 0,
}

const parts: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  Contains: (text, part) => text.includes(part),
  NotContains: (text, part) => !text.includes(part),
  StartsWith: (text, part) => text.startsWith(part),
  EndsWith: (text, part) => text.endsWith(part),
}

function ofOne(name: string, meets: Meets, value: Edge, negated: boolean): Comparison {
  const { means } = value
  const operator = negated ? `[$not][${name}]` : `[${name}]`
  return {
    query: (at) => `${at}${operator}=${written(value)}`,
    meets: means === null ? null : (actual) => meets(actual, means) !== negated,
    edges: [value],
  }
}

const ofMany = (
  name: string,
  edges: readonly Edge[],
  meets: (actual: Meaning, wanted: readonly Meaning[]) => boolean,
): Comparison => {
  const wanted = edges.flatMap(({ means }) => (means === null ? [] : [means]))
  return {
    query: (at) => edges.map((one, index) => `${at}[${name}][${String(index)}]=${written(one)}`).join('&'),
    meets: wanted.length < edges.length ? null : (actual) => meets(actual, wanted),
    edges,
  }
}

const isAmong = (actual: Meaning, wanted: readonly Meaning[]): boolean =>
  wanted.some((one) => order(actual, one) === 0)
const isBetween = (actual: Meaning, [from = 0, to = 0]: readonly Meaning[]): boolean =>
  order(actual, from) >= 0 && order(actual, to) <= 0

/** Every operator that takes a value, with this one, alone or beside another; now as it is, now negated. */
function comparisonsOf(value: Edge, other: Edge, index: number): readonly Comparison[] {
  return [
    ...Object.entries(single).map(([name, meets], place) =>
      ofOne(name, meets, value, (index + place) % 2 === 0),
    ),
    ofMany('$in', [other, value], isAmong),
    ofMany('$notIn', [value, other], (...sides) => !isAmong(...sides)),
    ofMany('$between', [value, other], isBetween),
    ofMany('$between', [other, value], isBetween),
  ]
}

/** Operators that look into the text of a value find the text as it was sent, whatever it would mean as a number. */
function textComparisonsOf(value: Edge, index: number): readonly Comparison[] {
  return Object.entries(parts).flatMap(([name, finds], place) =>
    [false, true].map((folds) => {
      const form = folds ? fold : (one: Meaning) => one
      const meets: Meets = (actual, wanted) => finds(String(form(String(actual))), String(form(wanted)))
      const named = `$${name.charAt(0).toLowerCase()}${name.slice(1)}${folds ? 'i' : ''}`
      return ofOne(named, meets, { ...value, means: value.text }, (index + place) % 2 === 0)
    }),
  )
}

const withTextForm = ['id', 'integer', 'biginteger', 'date', 'string']

interface Where {
  readonly dialect: TestDatabase['dialect']
  readonly mode: Mode
  readonly kind: string
}

interface Asked {
  readonly path: string
  readonly expected: readonly number[] | 400 | 'no failure'
}

function rowsThat(
  dialect: TestDatabase['dialect'],
  kind: string,
  meets: (actual: Meaning) => boolean,
): number[] {
  return (kinds[kind]?.stored(dialect) ?? []).flatMap((actual, index) => (meets(actual) ? [index + 1] : []))
}

/** Which 400s are those of the database and the matching: where values past the attribute's range cannot be answered. */
function expected({ dialect, mode, kind }: Where, { meets, edges }: Comparison): Asked['expected'] {
  const refusesPast = mode === 'exact' || dialect === 'postgres'
  if (meets === null || (refusesPast && edges.some(({ past }) => past))) return 400
  // How texts compare is the database's own affair there.
  return kind === 'string' && mode !== 'exact' ? 'no failure' : rowsThat(dialect, kind, meets)
}

/** Of every so many comparisons one is asked: the preset compares as `database`, which of these values thinks as `exact`. */
const shares: Readonly<Record<Mode, number>> = { exact: 2, strapi5: 8, database: 4 }

/** What is refused is refused before its operator is looked at. */
function chosen(mode: Mode, { means, past }: Edge, index: number, place: number): boolean {
  if (means === null) return (index + place) % 5 === 0
  // By every other value, as every other comparison is a negated one.
  return (past === true && mode !== 'strapi5') || ((index >> 1) + place) % shares[mode] === 0
}

function askingForText({ mode, dialect, kind }: Where, value: Edge, index: number): readonly Asked[] {
  const has = withTextForm.includes(kind)
  const all = textComparisonsOf(value, index).filter((_, place) =>
    has && mode === 'exact' ? ((index >> 1) + place) % 2 === 0 : place === index % 12,
  )
  return all.map((one): Asked => {
    const path = one.query(`filters[${kind}]`)
    if (mode !== 'exact') return { path, expected: 'no failure' }
    if (!has || value.text.includes('\0')) return { path, expected: 400 }
    return { path, expected: rowsThat(dialect, kind, one.meets ?? (() => false)) }
  })
}

function asking(where: Where): readonly Asked[] {
  const { asked = [] } = kinds[where.kind] ?? {}
  const fine = asked.filter(({ means }) => means !== null)
  return asked.flatMap((value, index) => {
    const other = fine[(index * 7 + 3) % fine.length] ?? value
    const compared = comparisonsOf(value, other, index)
      .filter((_, place) => chosen(where.mode, value, index, place))
      .map((one) => ({ path: one.query(`filters[${where.kind}]`), expected: expected(where, one) }))
    return [...compared, ...askingForText(where, value, index)]
  })
}

const rowsOfJson = ({ means }: JsonEdge): number[] =>
  storedJsons.flatMap((stored, index) =>
    isDeepStrictEqual(stored, JSON.parse(String(means))) ? [index + 1] : [],
  )

const foundIn = (text: string): number[] =>
  (JSON.parse(text) as { data: readonly { id: number }[] }).data.map(({ id }) => id)

describe('the comparisons at the edges', () => {
  it('use every operator but those for null and for JSON', () => {
    const value: Edge = { text: '1', means: 1 }
    const all = [...comparisonsOf(value, value, 0), ...textComparisonsOf(value, 0)]
    const asked = new Set(all.flatMap(({ query }) => query('').match(/\$(?!not\])\w+/g) ?? []))
    const wanted = allOperators.filter((operator) => !['truth', 'json'].includes(kindOfValue(operator)))
    expect(wanted.filter((operator) => !asked.has(operator))).toEqual([])
  })
})

eachDatabase((database) => {
  const { dialect } = database
  const world = database.fresh()
  let host: Host

  beforeAll(async () => {
    const config = { contentTypes: [edge], database: world.config }
    await migrate(config)
    await seed(config, edgeContent(dialect))
    const routers = Object.entries(modes).map(([mode, options]) => {
      const permissions = { public: { find: '*' } } as const
      return [`/${mode}`, world.closing(contentRouter({ ...options, ...config, permissions }))] as const
    })
    host = world.closing(await serveRouters(Object.fromEntries(routers)))
  }, 60_000)

  async function answer(path: string): Promise<number | readonly number[]> {
    const { status, text } = await host.ask(path, '')
    return status === 200 ? foundIn(text) : status
  }

  async function disagreements(mode: Mode, all: readonly Asked[]): Promise<readonly string[]> {
    const found: string[] = []
    const left = [...all]
    const work = async (): Promise<void> => {
      for (let one = left.pop(); one !== undefined; one = left.pop()) {
        const path = `/${mode}/edges?fields=id&sort=id&pagination[pageSize]=100&${one.path}`
        const got = await answer(path)
        if (
          one.expected === 'no failure'
            ? got === 400 || typeof got === 'object'
            : isDeepStrictEqual(got, one.expected)
        )
          continue
        found.push(`${path.slice(0, 300)}: ${JSON.stringify(got)} for ${JSON.stringify(one.expected)}`)
      }
    }
    await Promise.all(Array.from({ length: abreast }, work))
    return found
  }

  it('every edge is stored', async () => {
    for (const [kind, { stored }] of Object.entries(kinds)) {
      const held = stored(dialect).length
      const path = `/exact/edges?fields=id&sort=id&pagination[pageSize]=100&filters[${kind}][$notNull]=true`
      expect([kind, await answer(path)]).toEqual([
        kind,
        Array.from({ length: held }, (_, index) => index + 1),
      ])
    }
    expect(await answer('/exact/edges?fields=id&sort=id&pagination[pageSize]=100')).toHaveLength(rowCount)
  })

  describe.each(Object.keys(modes) as Mode[])('with the options %s', (mode) => {
    it.each(Object.keys(kinds))(
      '%s is compared with every edge, or the value is refused',
      async (kind) => {
        expect(await disagreements(mode, aThirdOf(asking({ dialect, mode, kind })))).toEqual([])
      },
      120_000,
    )

    it('JSON is accepted if the database can read it, else refused with the reason', async () => {
      const operators = ['$eq', '$ne', '$lt', '$in', '$jsonSupersetOf']
      const wrong: string[] = []
      for (const [value, operator] of jsons.flatMap((one) => operators.map((name) => [one, name] as const))) {
        const path = `/${mode}/edges?fields=id&sort=id&filters[json][${operator}]=${written(value)}`
        const { status, text } = await host.ask(path, '')
        if (!isRightForJson(mode, operator, value, status, text))
          wrong.push(`${path.slice(0, 200)}: ${String(status)} ${text.slice(0, 200)}`)
      }
      expect(wrong).toEqual([])
    })
  })

  /** PostgreSQL reads the JSON of every comparison, MySQL what one looks for; elsewhere it is a text, and does not fail. */
  function isRightForJson(
    mode: Mode,
    operator: string,
    value: JsonEdge,
    status: number,
    text: string,
  ): boolean {
    if (mode === 'exact') return status === 400
    const looks = dialect === 'mysql' && operator === '$jsonSupersetOf'
    if (dialect !== 'postgres' && !looks) return status === 200 || status === 400
    const { problem } = value
    if (problem !== undefined && !(looks && problem === 'NUL'))
      return status === 400 && text.includes(problem)
    const compares = dialect === 'postgres' && operator === '$eq'
    return status === 200 && (!compares || isDeepStrictEqual(foundIn(text), rowsOfJson(value)))
  }
})
