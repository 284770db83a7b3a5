import { once } from '../memory'
import { type Branch, type Level, partsOf } from '../plan'
import type { Fixed, Link, LinkField, Model, ToldFields } from '../schema'
import type { Row } from './dialect'
import { areNullsFirst, column, isFixed, type SqlScope, toldLinks } from './sql-scope'
import { all, joined, type Sql, sql, anyOf, compile, type Statement } from './sql'
import { where } from './where'

interface ReadLinks {
  readonly ours: string
  readonly theirs: string
  readonly type: string | null
  readonly branches: ReadonlyMap<string | null, number>
}

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

/** Links to hidden rows, and of rows that hide the attribute, are excluded in SQL: their number is unbounded. */
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

/** Link of a row: the id, the type if it may differ, and the place. */
export interface Ref {
  readonly id: number
  readonly type: string | null
  /** Order column; of other locales of a document, the locale. */
  readonly place: number | string
}

/** Links of one branch by the id of the parent. */
export interface Refs {
  readonly lists: Map<number, Ref[]>
  /** Total of links, where a page is cut. */
  readonly totals: Map<number, number>
}

export const noRefs = (): Refs => ({
  lists: new Map<number, Ref[]>(),
  totals: new Map<number, number>(),
})

/** One read of a join table for all branches that use it, by the value of its `field` column. */
export interface LinkReading {
  readonly table: string
  readonly ours: string
  readonly theirs: string
  readonly order: string | null
  readonly type: string | null
  readonly fixed: readonly Fixed[]
  /** Null: all. */
  readonly told: readonly ToldFields[] | null
  /** Other rows of the same document: both keys belong to one table. */
  readonly isOfDocument: boolean
  /** Branch by the value of `field`; key null for a table of one attribute. */
  readonly branches: Map<string | null, number>
}

export interface LinkStatement {
  readonly statement: Statement
  /** Adds the link of a row to its branch. */
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
  // Component fields hold one type, although their tables store it with each row.
  const own =
    field.role === 'component' ? fixed.filter(({ column: name }) => name !== 'component_type') : fixed
  const { table, ours, theirs, order } = link
  return { table, ours, theirs, order, type, fixed: own, told, isOfDocument: false }
}

/** True if the target's rows hold the key, without a join table. */
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
    // Two attributes may be inverses of one relation.
    const served = alike.find(({ branches: others }) => !others.has(own))
    if (served === undefined) alike.push({ ...reading, branches: new Map([[own, index]]) })
    else served.branches.set(own, index)
  })
  return [...found.values()].flat()
}

type TableOf = (field: LinkField) => string

/** Only the index of the owner's key is selective; SQLite without statistics may choose another. */
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

/** Order of links without a place, or with one that is not a number, as in the database. */
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

export function addOnce(refs: Refs, key: number, ref: Ref): void {
  const isKnown = refs.lists.get(key)?.some(({ id }) => id === ref.id) === true
  if (!isKnown) addTo(refs, key, ref)
}

/**
 * Other locales of a document, ordered by locale. Only tests of own columns are included: these are cheap, and drafts
 * are half of the rows.
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
  /** Branches that are read with their targets. */
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
    // Links without a type lead nowhere.
    if (reading?.type !== null && told === null) return
    const [type, at] = reading?.isOfDocument === true ? [null, told ?? ''] : [told, placed(place)]
    addTo(into, Number(own), { id: Number(id), type, place: at })
  }
  return [{ statement: compile(scope, joined(selects, ' union all ')), collect }]
}
