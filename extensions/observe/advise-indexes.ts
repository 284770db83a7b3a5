import type { Permitted } from '../../lib/access'
import { type Condition, decidingOrders, type Level, type Order, partsOf } from '../../lib/plan'
import { type ActualTables, createIndex, indexName, quoteName } from '../../lib/tables'
import { type ComparisonSettings, indexPart, sortedPart } from './index-parts'
import { planOutlineOf } from './plan-outline'

export interface AdvisingSettings extends ComparisonSettings {
  readonly tables: ActualTables
}

export interface AdvisedIndex {
  readonly table: string
  readonly statement: string
}

export interface IndexAdvice {
  readonly missing: readonly AdvisedIndex[]
  /** Sentences about conditions and sorts that no index helps. */
  readonly remarks: readonly string[]
}

/** `leading`: parts at the beginning of other indexes that serve as well. `others`: parts that spare reads of rows. */
interface WantedIndex {
  readonly keys: readonly string[]
  readonly leading: readonly string[]
  readonly others: readonly string[]
}

/** Empty if the database has an index that serves, or does not list the table. */
function missingIndex(
  settings: AdvisingSettings,
  table: string,
  { keys, leading, others }: WantedIndex,
): readonly AdvisedIndex[] {
  const plain = (part: string): string => part.replace(' collate binary', '')
  const words = keys.flatMap((key) => plain(key).match(/\w+/g) ?? [])
  const name = indexName(table, words.join('_').toLowerCase()).replaceAll('.', '_')
  const isServed = settings.tables.get(table)?.indexes.some((index) => {
    const begins = leading.every((key, at) => quoteName(settings, index.columns[at] ?? '') === plain(key))
    return index.name === name || begins
  })
  return isServed === false
    ? [{ table, statement: createIndex(settings, { name, table, parts: [...keys, ...others] }) }]
    : []
}

type TestCondition = Extract<Condition<never>, { op: 'test' }>

/** Conditions that all rows meet, with those of rules. */
const conjuncts = (where: Condition<never>): readonly Condition<never>[] =>
  partsOf(where).flatMap((part) => (part.op === 'ruled' ? conjuncts(part.of) : [part]))

/** The status is no part of the query. */
const filtersIn = (parts: readonly Condition<never>[]): readonly TestCondition[] =>
  parts
    .filter((part) => part.op === 'test')
    .filter(({ column, test }) => !(column.name === 'publishedAt' && test.is === 'null'))

interface ComparedPart {
  readonly part: string
  readonly column: TestCondition['column']
  readonly isEqual: boolean
}

/** Empty: no index serves the condition, or the condition excludes few rows. */
function partOfTest(
  settings: ComparisonSettings,
  { column, test, negated }: TestCondition,
): readonly ComparedPart[] {
  const isOne = test.is === 'null' || (test.is === 'equal' && !test.ignoreCase)
  const isRange = test.is === 'ordered' || test.is === 'between'
  if (negated || !(isOne || isRange || test.is === 'within')) return []
  const part = indexPart(settings, column, isRange ? 'range' : 'equality')
  const isEqual = isOne || (test.is === 'within' && test.values.length === 1)
  return part === null ? [] : [{ part, column, isEqual }]
}

/** Empty: no index has the order. */
function partOfOrder(settings: ComparisonSettings, order: Order<never>): readonly string[] {
  const isOwn = order.steps.length === 0 && order.counted === null
  const part = isOwn ? sortedPart(settings, order) : null
  return part === null ? [] : [part]
}

/** Equal values come first, then the order. */
function indexOfLevel(
  settings: AdvisingSettings,
  { model, where, order }: Pick<Level<never>, 'model' | 'where' | 'order'>,
): readonly AdvisedIndex[] {
  const compared = filtersIn(conjuncts(where)).flatMap((test) => partOfTest(settings, test))
  const equal = compared.filter(({ isEqual }) => isEqual)
  const filters = equal.filter(({ column }) => column.name !== 'locale')
  const locale = equal.filter(({ column }) => column.name === 'locale')
  const ranges = compared.filter(({ isEqual }) => !isEqual).map(({ part }) => part)
  const orders = decidingOrders(order)
  const sorts = orders.flatMap((one) => partOfOrder(settings, one))
  const isSorted = orders.length > 1 && sorts.length === orders.length
  const by = isSorted ? sorts.slice(0, -1) : ranges.slice(0, 1)
  // Ids have an index.
  const isById = compared.some(({ column }) => column.column === model.key.column)
  if (isById || filters.length + by.length === 0) return []
  const keys = [...[...filters, ...locale].map(({ part }) => part), ...by]
  const published = model.draftAndPublish ? [quoteName(settings, 'published_at')] : []
  const spared = order.length === 0 ? [] : [...sorts.slice(-1), ...ranges, ...published]
  const others = spared.filter((part) => !keys.some((key) => key.startsWith(part)))
  return missingIndex(settings, model.table, {
    keys,
    leading: by.length === 0 ? keys.slice(0, 1) : keys,
    others,
  })
}

/** Entries are found by their linked entries. */
function indexesOfLinks(settings: AdvisingSettings, where: Condition<never>): readonly AdvisedIndex[] {
  if (where.op === 'and' || where.op === 'or')
    return where.of.flatMap((part) => indexesOfLinks(settings, part))
  if (where.op === 'ruled') return indexesOfLinks(settings, where.of)
  if (where.op !== 'some' && where.op !== 'linked') return []
  const ways = where.op === 'some' ? [where] : where.ways
  return ways.flatMap(({ step: { field, target }, of }) => {
    const { link } = field
    const isJoin = (link.via === 'between' || link.via === 'mixed') && link.table !== target.table
    const quoted = (name: string): readonly string[] => [quoteName(settings, name)]
    const joins = (isJoin ? [link] : []).flatMap(({ table, theirs, ours }) => {
      const keys = quoted(theirs)
      return missingIndex(settings, table, { keys, leading: keys, others: quoted(ours) })
    })
    const own = indexOfLevel(settings, { model: target, where: of, order: [] })
    return [...joins, ...own, ...indexesOfLinks(settings, of)]
  })
}

function remarkOnOrder(settings: ComparisonSettings, order: Order<never>, sort: string): string {
  const start = `No index helps sort=${sort}`
  const instead = 'Store the value in an attribute of the type, and sort by this attribute.'
  if (order.counted !== null) return `${start}, because the links of all entries are counted. ${instead}`
  if (order.steps.length > 0) return `${start}, because an index has the columns of one table. ${instead}`
  return partOfOrder({ ...settings, textMatching: 'database' }, order).length > 0
    ? `${start}, because MySQL and MariaDB have no index of code points. Set textMatching to 'database'.`
    : `${start} on this database. Sort by another attribute, such as createdAt.`
}

/** About parts of a list that no index makes fast. */
function remarksOn(settings: ComparisonSettings, { root, narrowed, page }: Permitted): readonly string[] {
  const tests = filtersIn(conjuncts(root.where).flatMap((part) => partsOf(part, 'or')))
  const isSorted = ({ column }: TestCondition): boolean =>
    root.order.some(({ steps, column: by }) => steps.length === 0 && by.name === column.name)
  const isHelped = (test: TestCondition): boolean =>
    test.negated || isSorted(test) || partOfTest(settings, test).length > 0
  const unhelped = tests.filter((test) => !isHelped(test))
  const names = [...new Set(unhelped.map(({ column }) => column.name))].join(', ')
  const { sort } = planOutlineOf({ root })
  const isSlow = (order: Order<never>): boolean => partOfOrder(settings, order).length === 0
  const condition = `No index helps the conditions on ${names}. Add a condition with $eq or $in, or sort by the attribute of a range.`
  const total = 'The total counts all matching entries at each request. Add pagination[withCount]=false.'
  return [
    ...(names === '' ? [] : [condition]),
    ...root.order.flatMap((order, at) =>
      isSlow(order) ? remarkOnOrder(settings, order, sort[at] ?? '') : [],
    ),
    ...(sort.length > 0 && narrowed && page?.withCount === true ? [total] : []),
  ]
}

/** Indexes that would make the page of a plan fast, as the planner of each database uses them. */
export function adviseIndexes(settings: AdvisingSettings, permitted: Permitted): IndexAdvice {
  const { root } = permitted
  const missing = [...indexOfLevel(settings, root), ...indexesOfLinks(settings, root.where)]
  return {
    missing: [...new Map(missing.map((one) => [one.statement, one])).values()],
    remarks: remarksOn(settings, permitted),
  }
}
