import { once } from '../memory'
import { type Branch, type Condition, type Level, partsOf } from '../plan'
import type { NumberedPage } from '../query'
import type { Between, Link, LinkField, Model, WritingFields, Uid } from '../schema'
import type { Row } from './dialects/dialect'
import { orderBy, ordering, withJoins } from './order-by'
import { keyReader, type RowKey } from './selection'
import {
  areNullsFirst,
  column,
  follow,
  keyOf,
  keyValue,
  pairsOfDocument,
  sortDirection,
  type SqlScope,
  linksWrittenBy,
} from './sql-scope'
import { all, joined, type Sql, sql, anyOf, compile, type Statement } from './statement'
import { where, whereInTime } from './where'

/** Links to hidden rows, and of rows that hide the attribute, are excluded in SQL: their number is unbounded. */
function seenLinks(
  scope: SqlScope,
  alias: string,
  { branches, partly, model: owner }: Level<never>,
  { branches: served, ours, theirs, type }: LinkReading,
): readonly Sql[] {
  const meets = (key: string, model: Model, condition: Condition<never>): Sql => {
    const row = { alias: scope.alias(), model }
    const met = where(scope, row, condition)
    return sql('exists (select 1 from ?? as ?? where ?? = ?? and ?)', [
      ...[model.table, row.alias, keyOf(row), column(alias, key), met],
    ])
  }
  const isOther = (name: string, value: string): Sql => sql('?? <> ?', [column(alias, name), value])
  return [...served].flatMap(([field, index]) => {
    const branch = branches[index]
    if (branch === undefined) return []
    const ofOthers = field === null ? [] : [isOther('field', field)]
    const ofTargets = [...branch.targets].flatMap(([uid, level]): Sql[] => {
      if (!level.isRuled) return []
      const ofOtherTypes = type === null ? [] : [isOther(type, uid)]
      return [anyOf([...ofOthers, ...ofOtherTypes, meets(theirs, level.model, level.where)])]
    })
    const shown = partly.find(({ shownIn }) => shownIn === branch.field.shownIn)
    return shown === undefined
      ? ofTargets
      : [...ofTargets, anyOf([...ofOthers, meets(ours, owner, shown.where)])]
  })
}

/** Link of a row: the id, the type if it may differ, and the place. */
export interface Ref {
  readonly id: RowKey
  readonly type: string | null
  /** Order column; of other locales of a document, the locale. */
  readonly place: number | string
}

export interface Refs {
  readonly lists: Map<RowKey, Ref[]>
  readonly totals: Map<RowKey, number>
}

export const noRefs = (): Refs => ({ lists: new Map<RowKey, Ref[]>(), totals: new Map<RowKey, number>() })

/** One read of a join table for all branches that use it, by the value of its `field` column. */
export interface LinkReading extends Omit<Between, 'via'> {
  readonly type: string | null
  readonly writtenBy: readonly WritingFields[] | null
  /** Other rows of the same document: both keys belong to one table. */
  readonly isOfDocument: boolean
  /** Branch by the value of `field`; key null for a table of one attribute. */
  readonly branches: Map<string | null, number>
}

export interface LinkStatement {
  readonly statement: Statement
  readonly collect: (row: Row, refs: readonly Refs[]) => void
}

type Followed = Exclude<Link, { via: 'here' }>

export function readingOf(field: LinkField, link: Followed, target: Model): Omit<LinkReading, 'branches'> {
  if (link.via === 'there') {
    const { isOfDocument = false } = link
    const ours = isOfDocument ? 'id' : link.theirs
    const keys = { table: target.table, ours, theirs: target.key.column, order: null, type: null }
    return { ...keys, fixed: link.fixed, writtenBy: null, isOfDocument }
  }
  const fixed = link.fixed.filter(({ column: name }) => name !== 'field')
  const { type, writtenBy = null } = link.via === 'mixed' ? link : { type: null }
  // Component fields hold one type, although their tables store it with each row.
  const own =
    field.role === 'component' ? fixed.filter(({ column: name }) => name !== 'component_type') : fixed
  const { table, ours, theirs, order } = link
  return { table, ours, theirs, order, type, fixed: own, writtenBy, isOfDocument: false }
}

/** True if the target's rows hold the key, without a join table. */
export const isKeyThere = ({ table, theirs }: LinkReading, target: Model): boolean =>
  table === target.table && theirs === target.key.column

/** Value of the `field` column; null for a table of one attribute. */
export function fieldValue({ via, fixed }: Followed): string | null {
  return (via === 'there' ? undefined : fixed.find(({ column: name }) => name === 'field'))?.value ?? null
}

function readings(
  branches: readonly Branch<never>[],
  together: ReadonlySet<number>,
  targetOf: (field: LinkField) => Model,
): LinkReading[] {
  const found = new Map<string, LinkReading[]>()
  branches.forEach(({ field, page }, index) => {
    const { link } = field
    if (together.has(index) || page !== null || link.via === 'here') return
    const reading = readingOf(field, link, targetOf(field))
    const alike = once(found, JSON.stringify(reading), () => [])
    const own = fieldValue(link)
    // Two attributes may be inverses of one relation.
    const served = alike.find(({ branches: others }) => !others.has(own))
    if (served === undefined) alike.push({ ...reading, branches: new Map([[own, index]]) })
    else served.branches.set(own, index)
  })
  return [...found.values()].flat()
}

/** Only the index of the owner's key is selective; SQLite without statistics may choose another. */
export function linkConditions(scope: SqlScope, alias: string, reading: LinkReading): readonly Sql[] {
  const { type, writtenBy } = reading
  const said = (name: string): Sql => scope.dialect.unindexed(column(alias, name))
  const fixed = reading.fixed.map((one) => sql('? = ?', [said(one.column), one.value]))
  const names = [...reading.branches.keys()].filter((name) => name !== null).map((name) => sql('?', [name]))
  const among = names.length === 0 ? [] : [sql('? in (?)', [said('field'), joined(names, ', ')])]
  const isWritten = type === null || writtenBy === null ? [] : [linksWrittenBy(scope, alias, writtenBy, type)]
  return [...fixed, ...among, ...isWritten]
}

export function conditions(scope: SqlScope, alias: string, reading: LinkReading): Sql {
  const ofRows = scope.dialect.ids.isAmong(column(alias, reading.ours))
  return all([ofRows, ...linkConditions(scope, alias, reading)])
}

function select(
  scope: SqlScope,
  level: Level<never>,
  reading: LinkReading,
  { index, areKeysTexts, target }: Readonly<{ index: number; areKeysTexts: boolean; target: Model }>,
): Sql {
  if (reading.isOfDocument) {
    const [other] = level.branches[reading.branches.get(null) ?? -1]?.targets.values() ?? []
    if (other === undefined) throw new Error(`no level for the other rows of a document in ${reading.table}`)
    return othersOfDocument(scope, other, index)
  }
  const { inUnion } = scope.dialect
  const alias = scope.alias()
  const said = (name: string | null): Sql =>
    name === null ? inUnion.noText : inUnion.text(column(alias, name))
  const key = (name: string, { key: { type } }: Model): Sql =>
    areKeysTexts
      ? (scope.dialect.existing.value(name, 'string') ?? inUnion.text(name))
      : keyValue(scope, name, type)
  return sql(`select ${String(index)}, ?, ?, ?, ?, ? from ?? as ?? where ?`, [
    key(column(alias, reading.ours), level.model),
    key(column(alias, reading.theirs), target),
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

export function addTo({ lists }: Refs, key: RowKey, ref: Ref): void {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [ref])
  else known.push(ref)
}

/** Other locales of a document, by locale. Only tests of own columns are included: they are cheap. */
function othersOfDocument(scope: SqlScope, { model, where: shown }: Level<never>, index: number): Sql {
  const { ids, inUnion, joinOrder } = scope.dialect
  const [self, other] = [scope.alias(), scope.alias()]
  const own = partsOf(shown).filter(({ op }) => op === 'test')
  const from = pairsOfDocument(model.table, self, other, joinOrder.join)
  return sql(`select ${String(index)}, ??, ??, ?, ?, ? from ? where ?`, [
    ...[column(self, 'id'), column(other, 'id'), inUnion.noNumber],
    ...[inUnion.text(column(other, 'locale')), inUnion.noText, from],
    all([ids.isAmong(column(self, 'id')), ...own.map((part) => where(scope, { alias: other, model }, part))]),
  ])
}

function selectPages(
  scope: SqlScope,
  owner: Model,
  { field, page }: { readonly field: LinkField; readonly page: NumberedPage },
  level: Level<never>,
): Sql {
  const { model } = level
  const { start, limit, withCount } = page
  const to = scope.alias()
  const rows = { alias: to, model }
  const { tables, tie: ours, place, conditions } = follow(scope, field.link, { to: rows, shown: all([]) })
  const sorted = ordering(scope, rows, level.order)
  const byId = sql('??', [keyOf(rows)])
  const byPlace =
    place === null ? byId : joined([sql(`?? ${sortDirection(scope, 'asc')}`, [place]), byId], ', ')
  const order = sorted.keys.length > 0 ? orderBy(sorted.keys) : byPlace
  const total = withCount ? sql('count(*) over (partition by ??)', [ours]) : sql('null')
  const numbered = sql(
    'select ? as ??, ? as ??, row_number() over (partition by ?? order by ?) as ??, ? as ?? from ? where ?',
    [
      ...[
        keyValue(scope, ours, owner.key.type),
        'ours',
        keyValue(scope, keyOf(rows), model.key.type),
        'theirs',
      ],
      ...[ours, order, 'place'],
      ...[total, 'total', withJoins(tables, sorted)],
      all([scope.dialect.ids.isAmong(ours), ...conditions, whereInTime(scope, rows, level.where)]),
    ],
  )
  const onPage = sql('(?? > ? and ?? <= ?)', ['place', start, 'place', start + limit])
  return sql('select ??, ??, ??, ?? from (?) as ?? where ?', [
    ...['ours', 'theirs', 'place', 'total', numbered, 'numbered'],
    // The first row of each parent brings its total, even if it is not on the page.
    withCount ? sql('(? or ?? = 1)', [onPage, 'place']) : onPage,
  ])
}

/** One page of links for each parent, all in one statement. */
function pagedLinks(scope: SqlScope, { branches, model }: Level<never>): readonly LinkStatement[] {
  const ownKey = keyReader(model)
  return branches.flatMap(({ field, targets, page }, index) => {
    const [level] = targets.values()
    if (level === undefined || page === null) return []
    const { start, limit } = page
    const theirKey = keyReader(level.model)
    const collect: LinkStatement['collect'] = ([own, id, place, total], refs) => {
      const into = refs[index]
      if (into === undefined) return
      const key = ownKey(own)
      if (total !== null) into.totals.set(key, Number(total))
      const position = Number(place)
      if (position > start && position <= start + limit)
        addTo(into, key, { id: theirKey(id), type: null, place: position })
    }
    return [{ statement: compile(scope, selectPages(scope, model, { field, page }, level)), collect }]
  })
}

export function linkStatements(
  scope: SqlScope,
  level: Level<never>,
  together: ReadonlySet<number>,
  modelOf: (uid: Uid) => Model,
): readonly LinkStatement[] {
  const { branches, model } = level
  const targetOf = ({ targets: [uid] }: LinkField): Model => (uid === undefined ? model : modelOf(uid))
  const parts = readings(branches, together, targetOf)
  if (parts.length === 0) return pagedLinks(scope, level)
  const targetsOf = ({ branches: served }: LinkReading): readonly Model[] =>
    [...served.values()].flatMap((index) => branches[index]?.field.targets ?? []).map(modelOf)
  // Columns of a union have one type.
  const areKeysTexts =
    parts.length > 1 && [model, ...parts.flatMap(targetsOf)].some(({ key }) => key.type !== 'integer')
  const targets = parts.map((reading) => targetsOf(reading)[0] ?? model)
  const selects = parts.map((reading, index) =>
    select(scope, level, reading, { index, areKeysTexts, target: targets[index] ?? model }),
  )
  const ownKey = keyReader(model)
  const keys = targets.map(keyReader)
  const placed = placeOf(scope)
  const collect = (row: Row, refs: readonly Refs[]): void => {
    const [part, own, id, place, text, field] = row
    const reading = parts[Number(part)]
    const branch = reading?.branches.get((field ?? null) as string | null)
    const into = branch === undefined ? undefined : refs[branch]
    if (into === undefined || id === null) return
    const kind = (text ?? null) as string | null
    // Links without a type lead nowhere.
    if (reading?.type !== null && kind === null) return
    const [type, at] = reading?.isOfDocument === true ? [null, kind ?? ''] : [kind, placed(place)]
    addTo(into, ownKey(own), { id: (keys[Number(part)] ?? ownKey)(id), type, place: at })
  }
  return [{ statement: compile(scope, joined(selects, ' union all ')), collect }, ...pagedLinks(scope, level)]
}
