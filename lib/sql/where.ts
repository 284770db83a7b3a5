import {
  type Condition,
  leadsThroughLinks,
  linksInARow,
  mergeSets,
  partsOf,
  type LinkedEntries,
  type LinkedWay,
  everything,
  type NotInLocales,
  type OtherVersion,
  type Step,
  type Branch,
} from '../plan'
import { localeColumn, type Model } from '../schema'
import { compareTo, tested } from './compare'
import { column, follow, keyOf, type LinkTables, type NamedRows, type SqlScope } from './sql-scope'
import { all, allOf, anyOf, type Sql, sql, joined } from './statement'

const isSameDocument = ({ localized }: Pick<Model, 'localized'>, one: string, other: string): Sql =>
  all(
    ['document_id', ...(localized ? ['locale'] : [])].map((name) =>
      sql('?? = ??', [column(one, name), column(other, name)]),
    ),
  )

function publishedId(scope: SqlScope, key: string, model: Model): Sql {
  const [draft, published] = [scope.alias(), scope.alias()]
  return sql('(select min(??) from ?? as ?? inner join ?? as ?? on ? where ?? = ?? and ?? is not null)', [
    ...[column(published, 'id'), model.table, draft, model.table, published],
    ...[isSameDocument(model, published, draft), column(draft, 'id'), key, column(published, 'published_at')],
  ])
}

/** Keys of drafts are replaced by the id of the published version. Null for other columns. */
export function publishedKey(
  scope: SqlScope,
  alias: string,
  name: string,
  branches: readonly Branch<never>[],
): Sql | null {
  const key = column(alias, name)
  const cases = branches.flatMap(({ field, targets }) => {
    if (field.link.via !== 'here' || field.link.key !== name || field.link.toPublished !== true) return []
    const type = column(alias, field.link.type)
    return [...targets.values()].flatMap(({ model }) =>
      model.draftAndPublish
        ? [sql('when ?? = ? then ?', [type, model.uid, publishedId(scope, key, model)])]
        : [],
    )
  })
  return cases.length === 0 ? null : sql('coalesce(case ? end, ??)', [joined(cases, ' '), key])
}

export function linkedOwners(
  scope: SqlScope,
  owner: Model,
  { field: { link }, target: model }: Step,
  met: (rows: NamedRows) => Sql,
): LinkTables {
  const alias = scope.alias()
  const rows = { alias, model }
  if (link.via !== 'here') {
    const linked = follow(scope, link, { to: rows, shown: all([]) })
    return { ...linked, conditions: [...linked.conditions, met(rows)] }
  }
  const isMet = met(rows)
  // The row is named again, so that the set does not depend on an outer row.
  const self = scope.alias()
  const isToPublished = link.toPublished === true && model.draftAndPublish
  const named = isToPublished ? scope.alias() : alias
  const steps = [
    sql('?? as ?? inner join ?? as ?? on ?? = ??', [
      ...[owner.table, self, model.table, named],
      ...[column(named, 'id'), column(self, link.key)],
    ]),
    ...(isToPublished
      ? [sql('?? as ?? on ?', [model.table, alias, isSameDocument(model, alias, named)])]
      : []),
  ]
  const isOfType = sql('?? = ?', [column(self, link.type), model.uid])
  const tables = joined(steps, ' inner join ')
  return { tie: column(self, 'id'), tables, place: null, conditions: [isOfType, isMet] }
}

function otherVersion(scope: SqlScope, { alias, model }: NamedRows, version: OtherVersion): Sql {
  const other = scope.alias()
  const [draft, published] = version.published ? [alias, other] : [other, alias]
  const parts = [
    isSameDocument({ localized: version.sameLocale && model.localized }, other, alias),
    sql(version.published ? '?? is not null' : '?? is null', [column(other, 'published_at')]),
  ]
  if (version.visible !== everything) parts.push(where(scope, { alias: other, model }, version.visible))
  if (version.draftIsNewer !== null) {
    const sign = version.draftIsNewer ? '?? > ??' : '?? <= ??'
    parts.push(sql(sign, [column(draft, 'updated_at'), column(published, 'updated_at')]))
  }
  const found = version.exists ? 'exists' : 'not exists'
  return sql(`${found} (select 1 from ?? as ?? where ?)`, [model.table, other, all(parts)])
}

/** Strapi's index on the document id makes a lookup for each row cheap. */
function notInLocales(scope: SqlScope, { alias, model }: NamedRows, { locales, visible }: NotInLocales): Sql {
  const rows = { alias: scope.alias(), model }
  const test = { is: 'within', values: locales } as const
  const parts = [
    sql('?? = ??', [column(rows.alias, 'document_id'), column(alias, 'document_id')]),
    where(scope, rows, { op: 'test', column: localeColumn, test, negated: false }),
    where(scope, rows, visible),
  ]
  return sql('not exists (select 1 from ?? as ?? where ?)', [model.table, rows.alias, all(parts)])
}

function numberMeets(scope: SqlScope, condition: Condition<never>): Sql {
  if (condition.op === 'and') return allOf(condition.of.map((part) => numberMeets(scope, part)))
  if (condition.op === 'or') return anyOf(condition.of.map((part) => numberMeets(scope, part)))
  if (condition.op !== 'test') throw new Error('a number leads nowhere')
  const met = compareTo(scope, sql('count(*)'), 'integer', condition.test)
  return condition.negated ? sql('not (?)', [met]) : met
}

type SetAsked = Pick<LinkedEntries<never>, 'ways' | 'untrue' | 'among' | 'count'>

/** Ids of rows with matching links; null if none can match. Each target type is a table of its own. */
function linkedSet(
  scope: SqlScope,
  { ways, untrue, among, count }: SetAsked,
  owner: Model,
  met: (rows: NamedRows, way: LinkedWay<never>) => Sql,
  isJoined: boolean,
): Sql | null {
  const op = untrue ? 'and' : 'or'
  const found = ways.filter(({ of }) => of.op !== op || of.of.length > 0)
  const { dialect } = scope
  const selects = found.map((way) => {
    const { tie, tables, conditions } = linkedOwners(scope, owner, way.step, (rows) => met(rows, way))
    const kept = among ? conditions : [...conditions, sql('?? is not null', [tie])]
    const { link } = way.step.field
    const sharesTable = link.via !== 'here' && link.fixed.length > 0
    // Component keys have no index: MySQL, starting with the inner set, would scan all links for each row in it.
    const beginsWithLinks = count !== null || (!isJoined && sharesTable && leadsThroughLinks(way.of))
    const verb = beginsWithLinks ? dialect.joinOrder.select : 'select'
    const key = count === null ? sql('??', [tie]) : dialect.groupKey(tie, owner.key.type)
    return { key, select: sql(`${verb} ? as ?? from ? where ?`, [key, 'found', tables, all(kept)]) }
  })
  const [first, ...others] = selects
  if (first === undefined) return null
  const parts = selects.map(({ select }) => select)
  const set = joined(parts, ' union all ')
  if (count === null) return set
  const number = numberMeets(scope, count)
  const having = among ? number : sql('not (?)', [number])
  if (others.length === 0) return sql('? group by ? having ?', [first.select, first.key, having])
  return sql('select ?? from (?) as ?? group by ?? having ?', ['found', set, 'linked', 'found', having])
}

/** Short conditions cost no more than the row. */
function isShort(condition: Condition<never>): boolean {
  if (condition.op === 'ruled') return isShort(condition.of)
  if (condition.op === 'and' || condition.op === 'or')
    return condition.of.length <= 10 && condition.of.every(isShort)
  return (
    condition.op === 'test' &&
    condition.test.is !== 'text' &&
    !(condition.test.is === 'equal' && condition.test.ignoreCase)
  )
}

/** Sets are evaluated once: nested subqueries for each row take time exponential in the depth. */
function inSet(scope: SqlScope, owners: NamedRows, asked: SetAsked, isJoined = false): Sql {
  const { dialect } = scope
  const { among, untrue } = asked
  const inside = { ...scope, isInSet: true }
  const meets = (rows: NamedRows, { step, of }: LinkedWay<never>): Sql => {
    const met = writtenInTime(inside, rows, of)
    return all([where(inside, rows, step.visible), untrue ? sql('(?) is not true', [met]) : met])
  }
  const set = linkedSet(inside, asked, owners.model, meets, isJoined)
  if (set === null) return sql(among ? '1 = 0' : '1 = 1')
  const key = keyOf(owners)
  if (!among) return dialect.isNotIn(key, set)
  return isJoined ? sql('?? in (?)', [key, set]) : dialect.isIn(key, set)
}

type SomeLinked = Extract<Condition<never>, { op: 'some' }>

/** Long chains, link by link from the far end: each set has ids of its target alone. */
function inChain(scope: SqlScope, owners: NamedRows, condition: SomeLinked): Sql | null {
  const { step, of, orMissing } = condition
  const { link } = step.field
  const { dialect } = scope
  const { chains } = dialect
  // MySQL evaluates nested sets for each row beside `not exists`.
  const from = orMissing ? Math.min(chains.from, 3) : chains.from
  if (link.via !== 'between' || !(scope.isInChain || linksInARow(condition) >= from)) return null
  const inside = { ...scope, isInSet: true, isInChain: true }
  const [via, to] = [scope.alias(), scope.alias()]
  const rows = { alias: to, model: step.target }
  const met = all([where(inside, rows, step.visible), writtenInTime(inside, rows, of)])
  const targets = sql('select ?? as ?? from ?? as ?? where ?', [
    ...[keyOf(rows), 'found', step.target.table, to, met],
  ])
  const linked = all([
    ...link.fixed.map((one) => sql('? = ?', [dialect.unindexed(column(via, one.column)), one.value])),
    dialect.isIn(dialect.unindexed(column(via, link.theirs)), targets),
  ])
  const [own, ours] = [keyOf(owners), column(via, link.ours)]
  if (chains.by === 'in') {
    const owners = sql('select ?? as ?? from ?? as ?? where ?', [ours, 'found', link.table, via, linked])
    return dialect.isIn(own, owners)
  }
  return sql('exists (select 1 from ?? as ?? where ?? = ?? and ?)', [link.table, via, ours, own, linked])
}

/** `not exists` can use an index. */
function nowhere(scope: SqlScope, owners: NamedRows, { step }: SomeLinked): Sql {
  const to = { alias: scope.alias(), model: step.target }
  const shown = where(scope, to, step.visible)
  const { tables, tie, conditions } = follow(scope, step.field.link, { to, shown })
  const tied = all([sql('?? = ??', [tie, keyOf(owners)]), ...conditions])
  return sql('not exists (select 1 from ? where ?)', [tables, tied])
}

function some(scope: SqlScope, rows: NamedRows, condition: SomeLinked): Sql {
  const { step, of, orMissing } = condition
  const ways: Sql[] = []
  if (of.op !== 'or' || of.of.length > 0) {
    const asked = { ways: [{ step, of }], among: true, untrue: false, count: null }
    // The optimizer starts with the most selective link.
    const isJoined = !scope.isInSet
    ways.push(inChain(scope, rows, condition) ?? inSet(scope, rows, asked, isJoined))
  }
  if (orMissing) ways.push(nowhere(scope, rows, condition))
  return anyOf(ways)
}

const noneOf = (scope: SqlScope, rows: NamedRows, parts: readonly Condition<never>[]): Sql =>
  all(parts.map((part) => sql('not coalesce(?, false)', [written(scope, rows, part)])))

/** More joined sets take optimizers minutes, and MySQL's limit is 61 tables. */
function every(scope: SqlScope, rows: NamedRows, parts: readonly Condition<never>[]): Sql {
  const later = new Set(parts.filter(leadsThroughLinks).slice(scope.dialect.joinOrder.mostSets))
  return allOf(
    parts.map((part) =>
      later.has(part)
        ? sql('coalesce(?, false)', [written({ ...scope, isInSet: true }, rows, part)])
        : written(scope, rows, part),
    ),
  )
}

/** Rules inside of a set are separated: with all in one join, MariaDB took 24 GB to order its tables. */
function ruled(scope: SqlScope, rows: NamedRows, rule: Condition<never>): Sql {
  const met = written(scope, rows, rule)
  return scope.isInSet && leadsThroughLinks(rule) ? sql('coalesce(?, false)', [met]) : met
}

function writtenInTime(scope: SqlScope, rows: NamedRows, condition: Condition<never>): Sql {
  const met = written(scope, rows, condition)
  const { timeLimit } = scope.dialect
  if (timeLimit === null || isShort(condition)) return met
  return all([timeLimit.condition(keyOf(rows)), met])
}

function written(scope: SqlScope, rows: NamedRows, condition: Condition<never>): Sql {
  switch (condition.op) {
    case 'and':
      return every(scope, rows, condition.of)
    case 'or':
      return anyOf(condition.of.map((part) => written(scope, rows, part)))
    case 'test':
      return tested(scope, rows, condition)
    case 'some':
      return some(scope, rows, condition)
    case 'ruled':
      return ruled(scope, rows, condition.of)
    case 'not':
      return noneOf({ ...scope, isInSet: true }, rows, partsOf(condition.of, 'or'))
    case 'linked':
      return inSet(scope, rows, condition)
    case 'version':
      return otherVersion(scope, rows, condition)
    case 'not in locales':
      return notInLocales(scope, rows, condition)
    case 'written':
      return condition.write(rows.alias)
  }
}

export const where = (scope: SqlScope, rows: NamedRows, condition: Condition<never>): Sql =>
  written(scope, rows, mergeSets(condition))

/** With a check of the time limit for slow conditions. */
export const whereInTime = (scope: SqlScope, rows: NamedRows, condition: Condition<never>): Sql =>
  writtenInTime(scope, rows, mergeSets(condition))
