import { LimitError, type QueryPath } from '../errors'
import { once } from '../memory'
import { nameOperators, operators } from '../operators'
import type { LevelQuery, QueryComparison, QueryCondition, QuerySort, Query } from '../query'
import { type Column, type Extent, type Model, modelOf, type Uid } from '../schema'
import type { Spend, Branch, Condition, Level, Page, Plan } from './level'
import type { PlanSettings } from './planning'

export function startSpending(most: number, spent = 0): Spend {
  let nodes = spent
  return (path) => {
    nodes += 1
    if (nodes > most) throw new LimitError('maxNodes', path, `The query has more than ${String(most)} parts`)
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
  private links = 0
  private conditions = 0
  private readonly spend: Spend

  constructor(private readonly settings: PlanSettings) {
    this.spend = startSpending(settings.maxNodes)
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
    this.spend(path)
    this.nodes += 1
  }

  private link(path: QueryPath, times: 1 | 2 = 1): void {
    const { maxLinks } = this.settings
    this.links += times
    if (this.links > maxLinks)
      throw new LimitError(
        'maxLinks',
        path,
        `Filters and sorts follow more than ${String(maxLinks)} relations`,
      )
  }

  private condition(asked: QueryCondition, place: NamedAttributes, standing: Standing): void {
    const { isEither, isNegated } = standing
    const { maxConditions } = this.settings
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
      case 'at':
        this.node(asked.path)
        if (place.needsLink()) this.link(asked.path)
        this.condition(
          asked.of,
          isEither
            ? once(place.behind, asked.name, () => this.behind(place, asked.name))
            : this.behind(place, asked.name),
          standing,
        )
        return
      case 'which':
        this.node(asked.path)
        if (place.targets.length > 0) this.link(asked.path, asked.quantifier === '$count' ? 2 : 1)
        this.condition(asked.of, new NamedAttributes([], place.targets, false, true), alone)
        return
      case 'compare':
        this.node(asked.path)
        if (place.needsLink()) this.link(asked.path)
        this.conditions += weightOf(place.columns, asked)
        if (this.conditions > maxConditions)
          throw new LimitError(
            'maxConditions',
            asked.path,
            `Filters contain more than ${String(maxConditions)} conditions`,
          )
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

/** Measured bytes of parts of a plan and of its SQL for MySQL, the largest. See `spec/slow/plan-memory`. */
const bytes = {
  plan: { level: 2500, column: 20, condition: 300, value: 50, letter: 2 },
  planAndSql: { level: 8500, column: 120, condition: 900, value: 610, letter: 4 },
} as const

const linkIs = 7

const localeIs = 3

/** Includes all ways to read a page. */
const bytesOfPage = 18_000

type BytesOfParts = (typeof bytes)[keyof typeof bytes]

const bytesOfValue = (value: unknown, { value: own, letter }: BytesOfParts): number =>
  own + (typeof value === 'string' ? letter * value.length : 0)

function bytesOfCondition(condition: Condition<never>, each: BytesOfParts): number {
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.of.reduce<number>((sum, part) => sum + bytesOfCondition(part, each), each.condition)
    case 'test': {
      const values = Object.values(condition.test).flat() as unknown[]
      return values.reduce<number>((sum, value) => sum + bytesOfValue(value, each), each.condition)
    }
    case 'some':
      return linkIs * each.condition + bytesOfCondition(condition.of, each)
    case 'linked':
      return condition.ways.reduce<number>(
        (sum, { of }) => sum + linkIs * each.condition + bytesOfCondition(of, each),
        each.condition + (condition.count === null ? 0 : bytesOfCondition(condition.count, each)),
      )
    case 'ruled':
      return each.condition + bytesOfCondition(condition.of, each)
    case 'version':
      return each.condition
    case 'not in locales':
      return condition.locales.reduce<number>(
        (sum, locale) => sum + localeIs * each.condition + bytesOfValue(locale, each),
        linkIs * each.condition,
      )
  }
}

/** Each key is compared three times. */
function bytesOfCursor(page: Page | null, each: BytesOfParts): number {
  if (page?.by !== 'cursor' || page.from === null) return 0
  const own = 8 * each.condition
  return page.from.keys.reduce((sum, key) => sum + own + bytesOfValue(key?.value, each), own)
}

function bytesOfLevel(
  { columns, where, order, partly }: Level<never>,
  page: Page | null,
  each: BytesOfParts,
): number {
  const sorted = order.reduce<number>(
    (sum, { steps, counted }) =>
      sum + each.condition * (1 + linkIs * (steps.length + (counted?.steps.length ?? 0))),
    0,
  )
  // Both sides of a cursor are sorted.
  const times = page?.by === 'cursor' && page.from !== null ? 4 : 1
  const shown = partly.reduce((sum, one) => sum + each.column + bytesOfCondition(one.where, each), 0)
  const own = each.level + each.column * columns.length + bytesOfCondition(where, each)
  return own + shown + sorted * times
}

function sumBelow(branches: readonly Branch<never>[], each: BytesOfParts): number {
  const below = branches.flatMap(({ targets }) => [...targets.values()])
  return below.reduce<number>(
    (sum, level) => sum + bytesOfLevel(level, null, each) + sumBelow(level.branches, each),
    0,
  )
}

export const bytesBelow = (branches: readonly Branch<never>[]): number => sumBelow(branches, bytes.planAndSql)

/** Bytes of a plan with its compiled page, but not the compiled sub-plans. */
export const bytesOfPlan = ({ root, page }: Pick<Plan<never>, 'root' | 'page'>): number =>
  bytesOfPage +
  bytesOfCursor(page, bytes.planAndSql) +
  bytesOfLevel(root, page, bytes.planAndSql) +
  sumBelow(root.branches, bytes.plan)
