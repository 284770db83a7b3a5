import { LimitError, type QueryPath } from '../errors'
import { once } from '../memory'
import { nameOperators, operators } from '../operators'
import type { LevelQuery, QueryComparison, QueryCondition, Query } from '../query'
import { type Column, type Extent, type Model, modelOf, type Uid } from '../schema'
import type { Branch, Level, Plan } from './level'
import type { PlanSettings } from './planning'

type Limit = 'maxNodes' | 'maxLinks' | 'maxConditions'

const problems: Readonly<Record<Limit, (most: string) => string>> = {
  maxNodes: (most) => `The query has more than ${most} parts`,
  maxLinks: (most) => `Filters and sorts follow more than ${most} relations`,
  maxConditions: (most) => `Filters contain more than ${most} conditions`,
}

type Count = (path: QueryPath, times?: number) => number

export function startSpending(limit: Limit, most: number, before = 0): Count {
  let count = before
  return (path, times = 1) => {
    count += times
    if (count > most) throw new LimitError(limit, path, problems[limit](String(most)))
    return count
  }
}

const weights: Readonly<Record<Extent, number>> = { line: 2, paragraph: 4, pages: 32 }

const isText = ({ type }: Column): boolean => type === 'string' || type === 'json'

function weightOf(columns: readonly Column[], { operator, values }: QueryComparison): number {
  const { takes, test } = operators[operator]
  const times = takes === 'one' ? Math.max(1, values.length) : 1
  // These end at the first difference.
  const isLight = test.is === 'null' || nameOperators.includes(operator)
  const texts = isLight ? [] : columns.filter(isText)
  // SQLite measures a text to find its end.
  const reads = test.is === 'text' && test.place === 'end' && test.ignoreCase ? 2 : 1
  return times * Math.max(1, ...texts.map(({ extent }) => weights[extent] * reads))
}

/** Attributes of one name. Names that the role may not use have none, like unknown names. */
interface NamedAttributes {
  readonly columns: readonly Column[]
  readonly targets: readonly Model[]
  readonly isList: boolean
  readonly behind: Map<string, NamedAttributes>
  /** Conditions on one linked row share its link. */
  needsLink: boolean
}

const entriesOf = (targets: readonly Model[]): NamedAttributes => {
  return { columns: [], targets, isList: false, behind: new Map(), needsLink: false }
}

function attributesBehind(
  { schema, isReadable }: PlanSettings,
  { targets }: NamedAttributes,
  name: string,
): NamedAttributes {
  const columns = targets.flatMap((one) => one.columns.get(name) ?? [])
  const links = targets.flatMap((one) => one.links.get(name) ?? [])
  const readable = (uids: readonly Uid[]): readonly Model[] =>
    [...new Set(uids)].map((uid) => modelOf(schema, uid)).filter(isReadable)
  const linked = readable(links.flatMap((link) => link.targets))
  const isList = links.some((link) => link.many && readable(link.targets).length > 0)
  return { columns, targets: linked, isList, behind: new Map(), needsLink: linked.length > 0 }
}

/** Conditions in one `$or` share a link. */
interface Standing {
  readonly isEither: boolean
  readonly isNegated: boolean
}

const alone: Standing = { isEither: false, isNegated: false }

/** Unknown names count too: otherwise the limit would expose hidden names. */
export function countConditions(query: Query, model: Model, settings: PlanSettings): number {
  const spendNode = startSpending('maxNodes', settings.maxNodes)
  const spendLink = startSpending('maxLinks', settings.maxLinks)
  const spendWeight = startSpending('maxConditions', settings.maxConditions)

  const enter = (place: NamedAttributes, path: QueryPath, times = 1): void => {
    spendNode(path)
    if (place.needsLink) spendLink(path, times)
    place.needsLink = false
  }
  const countCondition = (asked: QueryCondition, place: NamedAttributes, standing: Standing): void => {
    const { isEither, isNegated } = standing
    switch (asked.op) {
      case 'and':
      case 'or': {
        const isOr = (asked.op === 'or') !== isNegated
        for (const part of asked.of) countCondition(part, place, { isEither: isOr, isNegated })
        return
      }
      case 'not':
        countCondition(asked.of, place, { isEither, isNegated: !isNegated })
        return
      case 'at': {
        enter(place, asked.path)
        const make = (): NamedAttributes => attributesBehind(settings, place, asked.name)
        countCondition(asked.of, isEither ? once(place.behind, asked.name, make) : make(), standing)
        return
      }
      case 'which':
        spendNode(asked.path)
        if (place.targets.length > 0) spendLink(asked.path, asked.quantifier === '$count' ? 2 : 1)
        countCondition(asked.of, entriesOf(place.targets), alone)
        return
      case 'compare':
        enter(place, asked.path)
        spendWeight(asked.path, weightOf(place.columns, asked))
    }
  }
  const countLevel = (asked: LevelQuery | Query, models: readonly Model[]): void => {
    const start = entriesOf(models)
    if (asked.filters !== null) countCondition(asked.filters, start, alone)
    for (const { names, path } of asked.sort) {
      let place = start
      for (const name of names) {
        // Sorts by lists and counts read all links: twice the cost of a filter.
        enter(place, path, place.isList ? 2 : 1)
        place = attributesBehind(settings, place, name)
      }
    }
    for (const { name, query: below } of asked.populate.entries)
      if (below !== null) countLevel(below, attributesBehind(settings, start, name).targets)
    const fragments = 'on' in asked ? (asked.on ?? []) : []
    for (const { name, query: below } of fragments) {
      const named = models.filter((one) => one.uid === name)
      if (below !== null) countLevel(below, named)
    }
  }
  countLevel(query, [model])
  return spendNode([], 0)
}

/** Measured bytes of a plan with its SQL for MySQL, the largest. See `spec/slow/plan-memory`. */
const bytes = {
  /** Includes all ways to read a page. */
  page: 18_000,
  /** Each key is compared three times. */
  cursor: 12_000,
  cursorKey: 7500,
  level: 8500,
  column: 120,
  link: 6000,
  /** A text in a list is a comparison of its own. */
  textInList: 2500,
  inList: 500,
  value: 300,
  letter: 4,
} as const

/** Plans only refer to these. */
const shared = ['model', 'field', 'column', 'columns', 'target', 'path', 'shownIn']

function bytesOf(part: unknown): number {
  if (typeof part === 'string') return bytes.value + bytes.letter * part.length
  if (typeof part !== 'object' || part === null) return bytes.value
  let sum = 'visible' in part ? bytes.link : 0
  for (const [name, below] of Object.entries(part)) {
    if (Array.isArray(part)) sum += typeof below === 'string' ? bytes.textInList : bytes.inList
    if (!shared.includes(name)) sum += bytesOf(below)
  }
  return sum
}

const bytesOfLevel = ({ columns, where, order, partly }: Level<never>, sides: number): number =>
  bytes.level + bytes.column * columns.length + bytesOf({ where, partly }) + sides * bytesOf(order)

/** Bytes of the levels below, with their SQL. */
export function bytesBelow(branches: readonly Branch<never>[]): number {
  let sum = 0
  for (const { targets } of branches)
    for (const level of targets.values()) sum += bytesOfLevel(level, 1) + bytesBelow(level.branches)
  return sum
}

/** Bytes of a plan with its compiled page, but not the compiled sub-plans, which are two thirds of these. */
export function bytesOfPlan({ root, page }: Pick<Plan<never>, 'root' | 'page'>): number {
  const from = page?.by === 'cursor' ? page.from : null
  const cursor = from === null ? 0 : bytes.cursor + bytes.cursorKey * from.keys.length + bytesOf(from.keys)
  // Both sides of a cursor are sorted.
  const below = Math.round(bytesBelow(root.branches) / 3)
  return bytes.page + cursor + bytesOfLevel(root, from === null ? 1 : 4) + below
}
