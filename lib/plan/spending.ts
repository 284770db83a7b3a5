import { LimitError, type QueryPath } from '../errors'
import {
  type Ask,
  type AskedCondition,
  type AskedFragment,
  type AskedPopulate,
  type AskedSort,
  compareOperators,
  type Query,
} from '../query'
import { type Column, type Extent, type Model, modelOf, type Uid } from '../schema'
import type { Spend } from './level'
import type { PlanSettings } from './planning'

export function startSpending(most: number, spent = 0): Spend {
  let nodes = spent
  return (path) => {
    nodes += 1
    if (nodes <= most) return
    const limit = String(most)
    throw new LimitError('maxNodes', path, `The query asks for more than ${limit} things`)
  }
}

type CountSettings = Pick<PlanSettings, 'schema' | 'isReadable' | 'maxNodes' | 'maxLinks' | 'maxConditions'>

type AskedComparison = Extract<AskedCondition, { op: 'compare' }>

/** For most operators databases read the whole text. */
const weights: Readonly<Record<Extent, number>> = { line: 2, paragraph: 4, pages: 32 }

/** Comparisons that end at the first difference or at the length. */
const light: ReadonlySet<string> = new Set(['$eq', '$ne', '$in', '$notIn', '$null', '$notNull'])

const isText = ({ type }: Column): boolean => type === 'string' || type === 'json'

function weightOf(columns: readonly Column[], { operator, values }: AskedComparison): number {
  const times = compareOperators[operator] === 'one' ? Math.max(1, values.length) : 1
  const texts = light.has(operator) ? [] : columns.filter(isText)
  // SQLite finds the end of a text by measuring the text, which takes as long as the comparison.
  const reads = operator === '$endsWithi' ? 2 : 1
  return times * Math.max(1, ...texts.map(({ extent }) => weights[extent] * reads))
}

/**
 * The attributes of one name. A name that the role may not use has none: limits treat it as an unknown name and expose
 * nothing of it.
 */
class NamedAttributes {
  readonly behind = new Map<string, NamedAttributes>()

  constructor(
    readonly columns: readonly Column[],
    readonly targets: readonly Model[],
    /** Whether one entry leads to several. */
    readonly isList = false,
    private isCounted = false,
  ) {}

  /** Conditions that one linked row meets share its link. */
  needsLink(): boolean {
    const needs = this.targets.length > 0 && !this.isCounted
    this.isCounted = true
    return needs
  }
}

/** Conditions side by side in `$or` need one link of a relation together: any row may meet any of them. */
interface Standing {
  readonly isEither: boolean
  readonly isNegated: boolean
}

const alone: Standing = { isEither: false, isNegated: false }

interface Conditional {
  readonly filters: AskedCondition | null
  readonly sort: readonly AskedSort[]
  readonly populate: AskedPopulate
}

class ConditionCounts {
  nodes = 0
  private links = 0
  private conditions = 0
  private readonly spend: Spend

  constructor(private readonly settings: CountSettings) {
    this.spend = startSpending(settings.maxNodes)
  }

  level({ filters, sort, populate }: Conditional, models: readonly Model[]): void {
    const start = new NamedAttributes([], models, false, true)
    if (filters !== null) this.condition(filters, start, alone)
    for (const key of sort) this.sortKey(key, start)
    for (const { name, ask } of populate.entries) this.ask(ask, this.behind(start, name).targets)
  }

  private ask(ask: Ask | null, models: readonly Model[]): void {
    if (ask === null) return
    this.level(ask, models)
    for (const fragment of ask.on ?? []) this.fragment(fragment, models)
  }

  private fragment({ uid, ask }: AskedFragment, models: readonly Model[]): void {
    this.ask(
      ask,
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

  private shared(place: NamedAttributes, name: string): NamedAttributes {
    const known = place.behind.get(name) ?? this.behind(place, name)
    place.behind.set(name, known)
    return known
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

  private condition(asked: AskedCondition, place: NamedAttributes, standing: Standing): void {
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
      case 'at':
        this.node(asked.path)
        if (place.needsLink()) this.link(asked.path)
        this.condition(
          asked.of,
          isEither ? this.shared(place, asked.name) : this.behind(place, asked.name),
          standing,
        )
        return
      case 'which':
      case 'count':
        this.node(asked.path)
        if (place.targets.length > 0) this.link(asked.path, asked.op === 'count' ? 2 : 1)
        this.condition(asked.of, new NamedAttributes([], place.targets, false, true), alone)
        return
      case 'compare':
        this.node(asked.path)
        if (place.needsLink()) this.link(asked.path)
        this.compare(asked, place)
    }
  }

  private compare(asked: AskedComparison, { columns }: NamedAttributes): void {
    const { maxConditions } = this.settings
    this.conditions += weightOf(columns, asked)
    if (this.conditions <= maxConditions) return
    const most = String(maxConditions)
    throw new LimitError('maxConditions', asked.path, `Filters hold more than ${most} conditions`)
  }

  private sortKey({ names, path }: AskedSort, start: NamedAttributes): void {
    let place = start
    for (const name of names) {
      this.node(path)
      // Sorted by a list, or counted, all its links are read: that takes twice as long as a filter.
      if (place.needsLink()) this.link(path, place.isList ? 2 : 1)
      place = this.behind(place, name)
    }
  }
}

/**
 * Number of names and conditions in all filters and sorts. Unknown names count as well: otherwise a limit would expose
 * names of types that the role may not read.
 */
export function countConditions(query: Query, model: Model, settings: CountSettings): number {
  const counts = new ConditionCounts(settings)
  counts.level(query, [model])
  return counts.nodes
}
