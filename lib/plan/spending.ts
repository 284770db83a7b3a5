import { LimitError, type QueryPath } from '../errors'
import { once } from '../memory'
import { nameOperators, operators } from '../operators'
import type { LevelQuery, QueryComparison, QueryCondition, QuerySort, Query } from '../query'
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
class NamedAttributes {
  readonly behind = new Map<string, NamedAttributes>()

  constructor(
    readonly columns: readonly Column[],
    readonly targets: readonly Model[],
    readonly isList = false,
    private isCounted = false,
  ) {}

  /** Conditions on one linked row share its link. */
  needsLink(): boolean {
    const needs = this.targets.length > 0 && !this.isCounted
    this.isCounted = true
    return needs
  }
}

/** Conditions in one `$or` share a link. */
interface Standing {
  readonly isEither: boolean
  readonly isNegated: boolean
}

const alone: Standing = { isEither: false, isNegated: false }

class ConditionCounts {
  nodes = 0
  private readonly countNode: Count
  private readonly link: Count
  private readonly weigh: Count

  constructor(private readonly settings: PlanSettings) {
    this.countNode = startSpending('maxNodes', settings.maxNodes)
    this.link = startSpending('maxLinks', settings.maxLinks)
    this.weigh = startSpending('maxConditions', settings.maxConditions)
  }

  level({ filters, sort, populate }: LevelQuery | Query, models: readonly Model[]): void {
    const start = new NamedAttributes([], models, false, true)
    if (filters !== null) this.condition(filters, start, alone)
    for (const key of sort) this.sortKey(key, start)
    for (const { name, query } of populate.entries) this.populated(query, this.behind(start, name).targets)
  }

  private populated(query: LevelQuery | null, models: readonly Model[]): void {
    if (query === null) return
    this.level(query, models)
    for (const { uid, query: of } of query.on ?? [])
      this.populated(
        of,
        models.filter((model) => model.uid === uid),
      )
  }

  private behind({ targets }: NamedAttributes, name: string): NamedAttributes {
    const { schema, isReadable } = this.settings
    const columns = targets.flatMap((model) => model.columns.get(name) ?? [])
    const links = targets.flatMap((model) => model.links.get(name) ?? [])
    const readable = (uids: readonly Uid[]): readonly Model[] =>
      [...new Set(uids)].map((uid) => modelOf(schema, uid)).filter(isReadable)
    return new NamedAttributes(
      columns,
      readable(links.flatMap((link) => link.targets)),
      links.some((link) => link.many && readable(link.targets).length > 0),
    )
  }

  private node(path: QueryPath): void {
    this.nodes = this.countNode(path)
  }

  private condition(asked: QueryCondition, place: NamedAttributes, standing: Standing): void {
    const { isEither, isNegated } = standing
    switch (asked.op) {
      case 'and':
      case 'or': {
        const isOr = (asked.op === 'or') !== isNegated
        for (const part of asked.of) this.condition(part, place, { isEither: isOr, isNegated })
        return
      }
      case 'not':
        this.condition(asked.of, place, { isEither, isNegated: !isNegated })
        return
      case 'at': {
        this.node(asked.path)
        if (place.needsLink()) this.link(asked.path)
        const make = (): NamedAttributes => this.behind(place, asked.name)
        this.condition(asked.of, isEither ? once(place.behind, asked.name, make) : make(), standing)
        return
      }
      case 'which':
        this.node(asked.path)
        if (place.targets.length > 0) this.link(asked.path, asked.quantifier === '$count' ? 2 : 1)
        this.condition(asked.of, new NamedAttributes([], place.targets, false, true), alone)
        return
      case 'compare':
        this.node(asked.path)
        if (place.needsLink()) this.link(asked.path)
        this.weigh(asked.path, weightOf(place.columns, asked))
    }
  }

  private sortKey({ names, path }: QuerySort, start: NamedAttributes): void {
    let place = start
    for (const name of names) {
      this.node(path)
      // Sorts by lists and counts read all links: twice the cost of a filter.
      if (place.needsLink()) this.link(path, place.isList ? 2 : 1)
      place = this.behind(place, name)
    }
  }
}

/** Unknown names count too: otherwise the limit would expose hidden names. */
export function countConditions(query: Query, model: Model, settings: PlanSettings): number {
  const counts = new ConditionCounts(settings)
  counts.level(query, [model])
  return counts.nodes
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
