import type { Permitted } from '../../lib/access'
import { type Condition, decidingOrders, type Level, type Order, partsOf } from '../../lib/plan'
import { createIndex, indexName, quoteName } from '../../lib/tables'
import { type ExistingIndexes, isServedBy, type WantedKeys } from './existing-indexes'
import { type ComparisonSettings, indexPart, sortedPart } from './index-parts'
import { planOutlineOf } from './plan-outline'

export interface AdvisingSettings extends ComparisonSettings {
  readonly indexes: ExistingIndexes
}

export interface AdvisedIndex {
  readonly table: string
  readonly name: string
  /** Parts that the query needs. The statement adds those that spare reads of rows. */
  readonly keys: readonly string[]
  /** False: the database uses the index only if few rows match. */
  readonly isAlwaysUsed: boolean
  readonly statement: string
}

export interface IndexAdvice {
  readonly missing: readonly AdvisedIndex[]
  /** Sentences about unused indexes, and about conditions and sorts that no index helps. */
  readonly remarks: readonly string[]
}

/** `others`: parts that spare reads of rows. */
interface WantedIndex extends WantedKeys {
  readonly table: string
  readonly others: readonly string[]
}

const keysOf = ({ equal, range, sorted }: WantedKeys): readonly string[] => [
  ...equal,
  ...(range === null ? sorted.slice(0, -1) : [range]),
]

/** A name that no other index of the database has. */
function freeName({ indexes }: AdvisingSettings, table: string, keys: readonly string[]): string {
  const taken = new Set([...indexes.values()].flat().map(({ name }) => name))
  const words = keys.flatMap((key) => key.replace(' collate binary', '').match(/\w+/g) ?? [])
  const name = indexName(table, words.join('_').toLowerCase()).replaceAll('.', '_')
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name}_${String(number)}`
  return free
}

function advisedIndex(settings: AdvisingSettings, wanted: WantedIndex): AdvisedIndex {
  const { table, others, range } = wanted
  const keys = keysOf(wanted)
  const name = freeName(settings, table, keys)
  const made = createIndex(settings, { name, table, parts: [...keys, ...others] })
  const statement =
    settings.dialect === 'postgres' ? made.replace('create index', 'create index concurrently') : made
  return { table, name, keys, isAlwaysUsed: range === null, statement }
}

const unusedIndex = {
  postgres: (name: string) =>
    `The index ${name} is invalid: its creation failed, or still runs. If it failed, drop the index, and run advise again.`,
  mysql: (name: string) =>
    `The database ignores the index ${name}. Make the index visible, or drop it and run advise again.`,
  sqlite: (name: string) => `The database ignores the index ${name}.`,
} as const

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

const isOwn = ({ steps, counted }: Order<never>): boolean => steps.length === 0 && counted === null

/** Empty: no index has the order. */
function partOfOrder(settings: ComparisonSettings, order: Order<never>): readonly string[] {
  const part = isOwn(order) ? sortedPart(settings, order) : null
  return part === null ? [] : [part]
}

const isPublished = (where: Condition<never>): boolean =>
  conjuncts(where).some(
    (part) =>
      part.op === 'test' && part.column.name === 'publishedAt' && part.test.is === 'null' && part.negated,
  )

/** Equal values come first, then the order. */
function indexOfLevel(
  settings: AdvisingSettings,
  { model, where, order }: Pick<Level<never>, 'model' | 'where' | 'order'>,
): readonly WantedIndex[] {
  const compared = filtersIn(conjuncts(where)).flatMap((test) => partOfTest(settings, test))
  // Ids have an index.
  if (compared.some(({ column }) => column.column === model.key.column)) return []
  const single = compared.filter(({ isEqual }) => isEqual)
  const [filters, locale] = [false, true].map((isLocale) =>
    single.filter(({ column }) => (column.name === 'locale') === isLocale).map(({ part }) => part),
  ) as [string[], string[]]
  const ranges = compared.filter(({ isEqual }) => !isEqual).map(({ part }) => part)
  const orders = decidingOrders(order).filter(
    (one) => !isOwn(one) || single.every(({ column }) => column.column !== one.column.column),
  )
  const sorts = orders.flatMap((one) => partOfOrder(settings, one))
  const isSorted = orders.length > 1 && sorts.length === orders.length
  const [range = null] = isSorted ? [] : ranges
  if (filters.length === 0 && range === null && !isSorted) return []
  const wanted = {
    equal: [...new Set([...filters, ...locale])],
    range,
    sorted: isSorted ? sorts : [],
    isPublished: isPublished(where),
  }
  const published = model.draftAndPublish ? [quoteName(settings, 'published_at')] : []
  const spared = order.length === 0 ? [] : [...sorts.slice(-1), ...ranges, ...published]
  const keys = keysOf(wanted)
  const others = [...new Set(spared)].filter((part) => !keys.some((key) => key.startsWith(part)))
  return [{ table: model.table, ...wanted, others }]
}

/** Entries are found by their linked entries. */
function indexesOfLinks(settings: AdvisingSettings, where: Condition<never>): readonly WantedIndex[] {
  if (where.op === 'and' || where.op === 'or')
    return where.of.flatMap((part) => indexesOfLinks(settings, part))
  if (where.op === 'ruled') return indexesOfLinks(settings, where.of)
  if (where.op !== 'some' && where.op !== 'linked') return []
  const ways = where.op === 'some' ? [where] : where.ways
  return ways.flatMap(({ step: { field, target }, of }) => {
    const { link } = field
    const isJoin = (link.via === 'between' || link.via === 'mixed') && link.table !== target.table
    const joins = (isJoin ? [link] : []).map(({ table, theirs, ours }) => {
      const [equal, others] = [[quoteName(settings, theirs)], [quoteName(settings, ours)]]
      return { table, equal, range: null, sorted: [], isPublished: false, others }
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
  const isSearch = unhelped.some(({ test }) => test.is === 'text' && test.place === 'anywhere')
  const instead = isSearch
    ? 'To search for words, use _q with the extension search(). Otherwise add a condition with $eq or $in.'
    : 'Add a condition with $eq or $in, or sort by the attribute of a range.'
  const condition = `No index helps the conditions on ${names}. ${instead}`
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
  const missing = new Map<string, AdvisedIndex>()
  const unused: string[] = []
  for (const wanted of [...indexOfLevel(settings, root), ...indexesOfLinks(settings, root.where)]) {
    const serving = settings.indexes
      .get(wanted.table)
      ?.filter((index) => isServedBy(settings.dialect, wanted, index))
    // The database does not list the table, or has an index that serves.
    if (serving === undefined || serving.some(({ isUsed }) => isUsed)) continue
    unused.push(...serving.map(({ name }) => unusedIndex[settings.dialect](name)))
    const key = JSON.stringify([wanted.table, keysOf(wanted)])
    if (serving.length === 0 && !missing.has(key)) missing.set(key, advisedIndex(settings, wanted))
  }
  return { missing: [...missing.values()], remarks: [...new Set(unused), ...remarksOn(settings, permitted)] }
}
