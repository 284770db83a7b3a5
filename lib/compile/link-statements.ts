import { once } from '../memory'
import { type Branch, type Level, partsOf } from '../plan'
import type { Fixed, Link, LinkField, Model, ToldFields } from '../schema'
import type { Row } from './dialect'
import { areNullsFirst, column, isFixed, type SqlScope, toldLinks } from './sql-scope'
import { all, joined, type Sql, sql, anyOf, compile, type Statement } from './sql'
import { where } from './where'

/** Which columns of a table hold links, and the branches that they belong to by the value of its `field` column. */
interface ReadLinks {
  readonly ours: string
  readonly theirs: string
  readonly type: string | null
  readonly branches: ReadonlyMap<string | null, number>
}

/** Of which rows of a table, named by a column, some are looked up by their ids. */
interface LookedUp {
  readonly key: string
  readonly level: Level<never>
  readonly condition: Level<never>['where']
}

function meets(scope: SqlScope, { key, level: { model }, condition }: LookedUp): Sql {
  const alias = scope.alias()
  const met = where(scope, { alias, model }, condition)
  return sql('exists (select 1 from ?? as ?? where ?? = ?? and ?)', [
    ...[model.table, alias, column(alias, 'id'), key, met],
  ])
}

const isOtherField = (alias: string, value: string): Sql => sql('?? <> ?', [column(alias, 'field'), value])

/**
 * Where a rule hides what a link leads to, the link is left out as it is read: nothing bounds how many there are of those, which
 * would be held in memory. The same holds of links of rows that do not show them.
 */
function seenLinks(
  scope: SqlScope,
  alias: string,
  { branches, partly, ...owner }: Level<never>,
  reading: ReadLinks,
): readonly Sql[] {
  return [...reading.branches].flatMap(([field, index]) => {
    const branch = branches[index]
    if (branch === undefined) return []
    const isOther = field === null ? [] : [isOtherField(alias, field)]
    const ofTargets = [...branch.targets].flatMap(([uid, level]): Sql[] => {
      if (!level.isRuled) return []
      const { type, theirs } = reading
      const ofOther = type === null ? [] : [sql('?? <> ?', [column(alias, type), uid])]
      const seen = { key: column(alias, theirs), level, condition: level.where }
      return [anyOf([...isOther, ...ofOther, meets(scope, seen)])]
    })
    const shown = partly.find(({ shownIn }) => shownIn === branch.field.shownIn)
    if (shown === undefined) return ofTargets
    const showing = {
      ...{ key: column(alias, reading.ours), condition: shown.where },
      level: { ...owner, branches, partly },
    }
    return [...ofTargets, anyOf([...isOther, meets(scope, showing)])]
  })
}

/** Where a link leads from one row: an id, of which type where the link can lead to several, and in what place. */
export interface Ref {
  readonly id: number
  readonly type: string | null
  /** The editor's number; of the other rows of a document the locale. */
  readonly place: number | string
}

/** The links of one branch, by the id of the row that they start from. */
export interface Refs {
  readonly lists: Map<number, Ref[]>
  /** How many links there are besides those of the page. */
  readonly totals: Map<number, number>
}

export const noRefs = (): Refs => ({
  lists: new Map<number, Ref[]>(),
  totals: new Map<number, number>(),
})

/** One read of a join table for all the branches that use it, told apart by the table's `field` column. */
export interface LinkReading {
  readonly table: string
  readonly ours: string
  readonly theirs: string
  readonly order: string | null
  readonly type: string | null
  readonly fixed: readonly Fixed[]
  /** Null: all of them. */
  readonly told: readonly ToldFields[] | null
  /** The other rows of the same document: both keys are of one table, named twice. */
  readonly isOfDocument: boolean
  /** Branch by value of the `field` column; under null where the table serves one attribute only. */
  readonly branches: Map<string | null, number>
}

/** All link rows that a level needs, in one statement. */
export interface LinkStatement {
  readonly statement: Statement
  /** Adds a row to the links of the branch that it belongs to. */
  readonly collect: (row: Row, refs: readonly Refs[]) => void
}

type Followed = Exclude<Link, { via: 'here' }>

export function readingOf(
  field: LinkField,
  link: Followed,
  targetTable: string,
): Omit<LinkReading, 'branches'> {
  if (link.via === 'there') {
    const isOfDocument = link.ours === 'document_id'
    const { theirs, fixed } = link
    const ours = isOfDocument ? 'id' : theirs
    return {
      table: targetTable,
      ours,
      theirs: 'id',
      order: null,
      type: null,
      fixed,
      told: null,
      isOfDocument,
    }
  }
  const fixed = link.fixed.filter(({ column: name }) => name !== 'field')
  const { type, told = null } = link.via === 'mixed' ? link : { type: null }
  // A component field holds one type, but a table of components tells the type of each row all the same.
  const own =
    field.role === 'component' ? fixed.filter(({ column: name }) => name !== 'component_type') : fixed
  const { table, ours, theirs, order } = link
  return { table, ours, theirs, order, type, fixed: own, told, isOfDocument: false }
}

/** Whether the rows that it leads to hold our key, so that there is no table between: a row that leads to others of its own table holds theirs. */
export const isHeldThere = ({ table, theirs }: LinkReading, target: Model): boolean =>
  table === target.table && theirs === 'id'

const fieldOf = (link: Followed): Fixed | undefined =>
  link.via === 'there' ? undefined : link.fixed.find(({ column: name }) => name === 'field')

export const fieldValue = (link: Followed): string | null => fieldOf(link)?.value ?? null

function readings(
  branches: readonly Branch<never>[],
  together: ReadonlySet<number>,
  tableOf: TableOf,
): LinkReading[] {
  const found = new Map<string, LinkReading[]>()
  branches.forEach(({ field, page }, index) => {
    const { link } = field
    if (together.has(index) || page !== null || link.via === 'here') return
    const reading = readingOf(field, link, tableOf(field))
    const alike = once(found, JSON.stringify(reading), () => [])
    const own = fieldValue(link)
    // Two attributes may be the other side of one relation.
    const served = alike.find(({ branches: others }) => !others.has(own))
    if (served === undefined) alike.push({ ...reading, branches: new Map([[own, index]]) })
    else served.branches.set(own, index)
  })
  return [...found.values()].flat()
}

type TableOf = (field: LinkField) => string

/** Of the indexes on a join table only that of our key tells rows apart; SQLite, without statistics, may prefer another. */
export function linkConditions(scope: SqlScope, alias: string, reading: LinkReading): readonly Sql[] {
  const { type, told } = reading
  const said = (name: string): Sql => scope.dialect.unindexed(column(alias, name))
  const fixed = reading.fixed.map((one) => isFixed(said(one.column), one))
  const names = [...reading.branches.keys()].filter((name) => name !== null).map((name) => sql('?', [name]))
  const among = names.length === 0 ? [] : [sql('? in (?)', [said('field'), joined(names, ', ')])]
  const isTold = type === null || told === null ? [] : [toldLinks(scope, alias, told, type)]
  return [...fixed, ...among, ...isTold]
}

export function conditions(scope: SqlScope, alias: string, reading: LinkReading): Sql {
  const ofRows = scope.dialect.ids.isAmong(column(alias, reading.ours))
  return all([ofRows, ...linkConditions(scope, alias, reading)])
}

function select(scope: SqlScope, level: Level<never>, reading: LinkReading, index: number): Sql {
  const { inUnion } = scope.dialect
  const alias = scope.alias()
  const said = (name: string | null): Sql =>
    name === null ? inUnion.noText : inUnion.text(column(alias, name))
  return sql(`select ${String(index)}, ??, ??, ?, ?, ? from ?? as ?? where ?`, [
    column(alias, reading.ours),
    column(alias, reading.theirs),
    reading.order === null ? inUnion.noNumber : sql('??', [column(alias, reading.order)]),
    said(reading.type),
    said(reading.branches.has(null) ? null : 'field'),
    reading.table,
    alias,
    all([conditions(scope, alias, reading), ...seenLinks(scope, alias, level, reading)]),
  ])
}

/** Where a link without a place stands, or at one that is no number, as the database would put it. */
export const placeOf =
  (scope: SqlScope) =>
  (place: unknown): number => {
    if (Number.isNaN(Number(place))) return Infinity
    if (place !== null) return Number(place)
    return areNullsFirst(scope, 'asc') ? -Infinity : Infinity
  }

export function addTo({ lists }: Refs, key: number, ref: Ref): void {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [ref])
  else known.push(ref)
}

/** Of a link that was met in several rows, once. */
export function addOnce(refs: Refs, key: number, ref: Ref): void {
  const isKnown = refs.lists.get(key)?.some(({ id }) => id === ref.id) === true
  if (!isKnown) addTo(refs, key, ref)
}

/**
 * Ids of the other rows of the same document with their locales, which put them in order, behind the ids of the rows that
 * they are others of. Of what says which of them are shown as much is asked as their own columns tell, since these are at
 * hand: half of them are drafts.
 */
function othersOfDocument(scope: SqlScope, { model, where: shown }: Level<never>, index: number): Sql {
  const { ids, inUnion, joinOrder } = scope.dialect
  const [self, other] = [scope.alias(), scope.alias()]
  const own = partsOf(shown).filter(({ op }) => op === 'test')
  const from = sql(`?? as ?? ${joinOrder.join} ?? as ?? on ?? = ?? and ?? <> ??`, [
    ...[model.table, self, model.table, other],
    ...[column(other, 'document_id'), column(self, 'document_id'), column(other, 'id'), column(self, 'id')],
  ])
  return sql(`select ${String(index)}, ??, ??, ?, ?, ? from ? where ?`, [
    ...[column(self, 'id'), column(other, 'id'), inUnion.noNumber],
    ...[inUnion.text(column(other, 'locale')), inUnion.noText, from],
    all([ids.isAmong(column(self, 'id')), ...own.map((part) => where(scope, { alias: other, model }, part))]),
  ])
}

function selectPart(scope: SqlScope, from: Level<never>, reading: LinkReading, index: number): Sql {
  if (!reading.isOfDocument) return select(scope, from, reading, index)
  const [level] = from.branches[reading.branches.get(null) ?? -1]?.targets.values() ?? []
  if (level === undefined) throw new Error(`no level for the other rows of a document in ${reading.table}`)
  return othersOfDocument(scope, level, index)
}

export function linkStatements(
  scope: SqlScope,
  level: Level<never>,
  /** Those that are read together with what they lead to. */
  together: ReadonlySet<number>,
  tableOf: TableOf,
): readonly LinkStatement[] {
  const parts = readings(level.branches, together, tableOf)
  if (parts.length === 0) return []
  const selects = parts.map((reading, index) => selectPart(scope, level, reading, index))
  const placed = placeOf(scope)
  const collect = (row: Row, refs: readonly Refs[]): void => {
    const [part, own, id, place, text, field] = row
    const reading = parts[Number(part)]
    const branch = reading?.branches.get((field ?? null) as string | null)
    const into = branch === undefined ? undefined : refs[branch]
    if (into === undefined || id === null) return
    const told = (text ?? null) as string | null
    // A link to rows of several types that names none leads nowhere.
    if (reading?.type !== null && told === null) return
    const [type, at] = reading?.isOfDocument === true ? [null, told ?? ''] : [told, placed(place)]
    addTo(into, Number(own), { id: Number(id), type, place: at })
  }
  return [{ statement: compile(scope, joined(selects, ' union all ')), collect }]
}
