import type { Branch, Condition, Level, Order, Plan } from '../../lib/plan'

export interface LevelShape {
  readonly type: string
  /** Attributes in conditions, each once, dotted through relations, with those of `locale` and of a document id. */
  readonly filters: readonly string[]
  readonly sort: readonly string[]
  readonly populate: readonly BranchShape[]
}

export interface BranchShape {
  readonly name: string
  readonly answer: 'entries' | 'count'
  readonly paged: boolean
  readonly targets: readonly LevelShape[]
}

/** A plan without its values, equal for all requests with the same attributes and operators. */
export interface PlanShape extends LevelShape {
  /** All of the above in one line, to group by. */
  readonly text: string
}

/** The status rule is at every level and is no part of the query. */
const isStatusRule = (condition: Condition<never>): boolean =>
  condition.op === 'test' && condition.column.name === 'publishedAt' && condition.test.is === 'null'

function filtered(condition: Condition<never>, prefix = ''): string[] {
  if (isStatusRule(condition)) return []
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.of.flatMap((part) => filtered(part, prefix))
    case 'test':
      return [prefix + condition.column.name]
    case 'written':
      return condition.columns.map(({ name }) => prefix + name)
    case 'some': {
      const name = prefix + condition.step.field.name
      const below = filtered(condition.of, `${name}.`)
      return below.length === 0 ? [name] : below
    }
    case 'linked': {
      const { field, asked, ways } = condition
      const name = `${prefix}${field.name}.${asked}`
      const below = [...new Set(ways.flatMap(({ of }) => filtered(of, `${name}.`)))]
      return below.length === 0 ? [name] : below
    }
    case 'not':
      return filtered(condition.of, prefix)
    case 'ruled':
      // Rules of the host may name hidden attributes.
      return []
    case 'version':
      return [`${prefix}publishedAt`]
    case 'not in locales':
      return [`${prefix}locale`]
  }
}

function sorted({ steps, counted, column, direction }: Order<never>): string {
  const links = [...steps, ...(counted?.steps.slice(0, 1) ?? [])].map(({ field }) => field.name)
  return [...links, column.name].join('.') + (direction === 'desc' ? ':desc' : '')
}

function branchShape({ field, answer, page, targets }: Branch<never>): BranchShape {
  return Object.freeze({
    name: field.name,
    answer,
    paged: page !== null,
    targets: Object.freeze([...targets.values()].map(levelShape)),
  })
}

function levelShape({ model, where, order, branches }: Level<never>): LevelShape {
  return Object.freeze({
    type: model.uid,
    filters: Object.freeze([...new Set(filtered(where))]),
    // The last one breaks ties and is no part of the query.
    sort: Object.freeze(order.slice(0, -1).map(sorted)),
    populate: Object.freeze(branches.map(branchShape)),
  })
}

function textOf({ filters, sort, populate }: LevelShape): string {
  const parts = [
    ...(filters.length === 0 ? [] : [`filters=${filters.join()}`]),
    ...(sort.length === 0 ? [] : [`sort=${sort.join()}`]),
    ...(populate.length === 0 ? [] : [`populate=${populate.map(branchText).join()}`]),
  ]
  return parts.join('&')
}

function branchText({ name, answer, paged, targets }: BranchShape): string {
  const only = targets.length === 1
  const below = targets
    .map((target) => (only ? textOf(target) : `${target.type}(${textOf(target)})`))
    .filter((text) => text !== '')
  const marks = (answer === 'count' ? '#' : '') + (paged ? '…' : '')
  return name + marks + (below.length === 0 ? '' : `(${below.join()})`)
}

/** Frozen, as hooks get the same object many times. */
export function planOutlineOf({ root }: Pick<Plan<never>, 'root'>): PlanShape {
  const shape = levelShape(root)
  const text = textOf(shape)
  return Object.freeze({ ...shape, text: text === '' ? root.model.uid : `${root.model.uid}?${text}` })
}
