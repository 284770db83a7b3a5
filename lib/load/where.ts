import type { Condition, Operand, OtherVersion, Test } from '../plan'
import type { Column, ColumnType, Model } from '../schema'
import type { Dialect, TextMatching } from './dialect'
import { column, follow, type Linked, type Scope } from './scope'
import { all, joined, type Sql, sql } from './sql'
import { compile, foundBy } from './statement'

/** Codes, not words: they are the same or they are not, whatever the database thinks of case. */
const codes = new Set(['document_id', 'locale'])

const isText = (type: ColumnType): boolean => type === 'string'

interface Subject {
  readonly dialect: Dialect
  readonly tested: Sql
  readonly type: ColumnType
  readonly text: TextMatching
}

const value = ({ dialect, type }: Subject, operand: Operand): Sql => dialect.operand(operand, type)

/** What is compared by order: texts by code point, everything else as it is. */
function ordered({ tested, type, text }: Subject, side: Sql = tested): Sql {
  return isText(type) ? text.ordered(side) : side
}

function equal(subject: Subject, test: Extract<Test, { is: 'equal' }>): Sql {
  const { tested, type, text } = subject
  if (isText(type) && typeof test.value === 'string') {
    return test.ignoreCase ? text.equalIgnoringCase(tested, test.value) : text.equal(tested, test.value)
  }
  return sql('? = ?', [tested, value(subject, test.value)])
}

function within(subject: Subject, values: readonly Operand[]): Sql {
  if (values.length === 0) return sql('1 = 0')
  if (isText(subject.type)) {
    const each = values.map((one) => equal(subject, { is: 'equal', value: one, ignoreCase: false }))
    return sql('(?)', [joined(each, ' or ')])
  }
  const list = joined(
    values.map((one) => value(subject, one)),
    ', ',
  )
  return sql('? in (?)', [subject.tested, list])
}

const signs = { '<': '? < ?', '<=': '? <= ?', '>': '? > ?', '>=': '? >= ?' } as const

/** One entry for each kind of comparison; each is NULL where the column is. */
function compare(subject: Subject, test: Test): Sql {
  const { dialect, tested, type, text } = subject
  switch (test.is) {
    case 'null':
      return sql('? is null', [tested])
    case 'equal':
      return equal(subject, test)
    case 'ordered':
      return sql(signs[test.sign], [ordered(subject), ordered(subject, value(subject, test.value))])
    case 'within':
      return within(subject, test.values)
    case 'between':
      return sql('? between (?) and (?)', [
        ordered(subject),
        ordered(subject, value(subject, test.from)),
        ordered(subject, value(subject, test.to)),
      ])
    case 'text':
      return text.contains(tested, { ...test, cast: !isText(type) })
    case 'superset':
      return dialect.superset(tested, test.value)
  }
}

function subjectOf({ dialect, matching }: Scope, alias: string, { column: name, type }: Column): Subject {
  const text = dialect.text[codes.has(name) ? 'exact' : matching]
  return { dialect, tested: sql('??', [column(alias, name)]), type, text }
}

/** Whether the row has a draft, or a published version, besides itself. */
function otherVersion(scope: Scope, alias: string, model: Model, version: OtherVersion): Sql {
  const other = scope.alias()
  const [draft, published] = version.published ? [alias, other] : [other, alias]
  const parts = [
    sql('?? = ??', [column(other, 'document_id'), column(alias, 'document_id')]),
    sql(version.published ? '?? is not null' : '?? is null', [column(other, 'published_at')]),
  ]
  if (version.sameLocale && model.localized) {
    parts.push(sql('?? = ??', [column(other, 'locale'), column(alias, 'locale')]))
  }
  if (version.draftIsNewer !== null) {
    const sign = version.draftIsNewer ? '?? > ??' : '?? <= ??'
    parts.push(sql(sign, [column(draft, 'updated_at'), column(published, 'updated_at')]))
  }
  const found = version.exists ? 'exists' : 'not exists'
  return sql(`${found} (select 1 from ?? as ?? where ?)`, [model.table, other, all(parts)])
}

type Some = Extract<Condition<never>, { op: 'some' }>

interface Led extends Linked {
  readonly to: string
}

function leadTo(scope: Scope, alias: string, { step }: Some): Led {
  const to = scope.alias()
  const shown = where(scope, to, step.target, step.visible)
  return { ...follow(scope, step.field.link, alias, step.target, to, shown), to }
}

/**
 * Optimizers turn nested sets into one join, and take time exponential in the number of its tables to order them. So a
 * deep nest is handed to them in pieces of this many links.
 */
const linksPerPiece = 3

/**
 * Parsers and optimizers run out of stack on what is nested too deep: MySQL and MariaDB refuse 63 statements in each
 * other, and SQLite a dozen of those that missing rows meet. So every so many links begin a statement of their own.
 */
const linksPerStatement = 9

function isIn(scope: Scope, key: string, set: Sql): Sql {
  const { dialect, depth } = scope
  if (depth % linksPerStatement === 0) return dialect.isAmong(key, foundBy(compile(scope, set)))
  const piece = depth % linksPerPiece === 0 ? dialect.apart(set) : set
  return sql('?? in (?)', [key, piece])
}

/**
 * As a set that is found once, not a question asked for every row: nested in each other, such questions would take
 * time exponential in the depth.
 */
function some(outer: Scope, alias: string, condition: Some): Sql {
  const scope = { ...outer, depth: outer.depth + 1 }
  const { step, of, orMissing } = condition
  const { tables, tie, conditions, to } = leadTo(scope, alias, condition)
  const inner = all([...conditions, where(scope, to, step.target, of)])
  const found = isIn(scope, tie.from, sql('select ?? as ?? from ? where ?', [tie.by, 'found', tables, inner]))
  if (!orMissing) return found
  const any = leadTo(scope, alias, condition)
  const tied = all([sql('?? = ??', [any.tie.by, any.tie.from]), ...any.conditions])
  return sql('(? or not exists (select 1 from ? where ?))', [found, any.tables, tied])
}

/** What all have to hold. */
export const partsOf = (condition: Condition<never>): readonly Condition<never>[] =>
  condition.op === 'and' ? condition.of.flatMap(partsOf) : [condition]

/** A condition on the row that `alias` names. */
export function where(scope: Scope, alias: string, model: Model, condition: Condition<never>): Sql {
  switch (condition.op) {
    case 'and':
    case 'or': {
      if (condition.of.length === 0) return sql(condition.op === 'and' ? '1 = 1' : '1 = 0')
      const parts = condition.of.map((part) => where(scope, alias, model, part))
      return sql('(?)', [joined(parts, ` ${condition.op} `)])
    }
    case 'test': {
      const test = compare(subjectOf(scope, alias, condition.column), condition.test)
      return condition.negated ? sql('not (?)', [test]) : test
    }
    case 'some':
      return some(scope, alias, condition)
    case 'version':
      return otherVersion(scope, alias, model, condition)
  }
}
