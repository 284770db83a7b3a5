import type { Condition, Operand, Test } from '../plan'
import type { ColumnType } from '../schema'
import type { Dialect } from './dialects/dialect'
import {
  type TextMatching,
  AskerPlaceholder,
  anyOf,
  joined,
  Sql,
  sql,
  named,
  type Comparison,
} from './statement'
import { column, isLookedUp, lookedUp, type NamedRows, type SqlScope, valueOf } from './sql-scope'

const isText = (type: ColumnType): boolean => type === 'string'

interface Subject {
  readonly dialect: Dialect
  readonly tested: Sql
  readonly comparison: Comparison
  readonly type: ColumnType
  readonly isExisting: boolean
  readonly text: TextMatching
}

/** The SQL around a placeholder depends on the type alone, so that any value shows it. */
const likeness = 0

/** Values of the current user are placeholders: they are known when the statement runs. */
function value({ dialect, type, isExisting }: Subject, operand: Operand): Sql {
  const { text, parts } = dialect.operand(typeof operand === 'object' ? likeness : operand, type)
  const places = parts.map((part, at) => {
    if (typeof operand !== 'object') return part
    if (part instanceof Sql) throw new Error(`a value of ${type} is written in several pieces`)
    return new AskerPlaceholder(operand, (value) => dialect.operand(value, type).parts[at])
  })
  const made = sql(text, places)
  // Columns of existing tables may have smaller types than the attribute.
  return isExisting ? dialect.existing.operand(made, type) : made
}

function ordered({ type, text }: Subject, side: Sql): Sql {
  return isText(type) ? text.ordered(side) : side
}

/** Both the form with an index and the form as it is read. */
function exactly(
  { tested, comparison }: Subject,
  values: readonly Sql[],
  met: (column: Sql, values: readonly Sql[]) => Sql,
): Sql {
  const { asRead } = comparison
  const compared = comparison.compared(tested)
  if (asRead === null) return met(compared, values)
  return sql('(? and ?)', [met(compared, values), met(asRead.column(compared), values.map(asRead.value))])
}

function equal(subject: Subject, test: Extract<Test, { is: 'equal' }>): Sql {
  const { tested, type, text } = subject
  if ((isText(type) || test.ignoreCase) && typeof test.value === 'string') {
    return test.ignoreCase ? text.equalIgnoringCase(tested, test.value) : text.equal(tested, test.value)
  }
  if (isText(type) && typeof test.value === 'object')
    return text.equal(tested, new AskerPlaceholder(test.value, (own) => own))
  return exactly(subject, [value(subject, test.value)], (column, [wanted]) => sql('? = ?', [column, wanted]))
}

function within(subject: Subject, values: readonly Operand[]): Sql {
  if (values.length === 0) return sql('1 = 0')
  if (isText(subject.type)) {
    return anyOf(values.map((one) => equal(subject, { is: 'equal', value: one, ignoreCase: false })))
  }
  const wanted = values.map((one) => value(subject, one))
  return exactly(subject, wanted, (column, list) => sql('? in (?)', [column, joined(list, ', ')]))
}

/** Result: NULL for a column that is NULL. */
function compare(subject: Subject, test: Test): Sql {
  const { dialect, tested, comparison, type, text } = subject
  const ordering = (): Sql => ordered(subject, comparison.compared(tested))
  switch (test.is) {
    case 'null':
      return sql('? is null', [tested])
    case 'equal':
      return equal(subject, test)
    case 'ordered':
      return sql(`? ${test.sign} ?`, [ordering(), ordered(subject, value(subject, test.value))])
    case 'within':
      return within(subject, test.values)
    case 'between': {
      const [from, to] = [test.from, test.to].map((side) => ordered(subject, value(subject, side)))
      // `between` of MySQL 9.7 compares bytes as texts, and decimals as doubles if one bound is a double.
      return sql('(? >= ? and ? <= ?)', [ordering(), from, ordering(), to])
    }
    case 'text':
      return text.contains(tested, { ...test, cast: !isText(type) })
    case 'superset':
      if (dialect.superset === null) throw new Error('the plan refuses what the database cannot tell')
      return dialect.superset(tested, test.value, isText(type))
  }
}

/** A test of a value that is no column, such as a count. */
export function compareTo({ dialect, matching }: SqlScope, tested: Sql, type: ColumnType, test: Test): Sql {
  const comparison = dialect.comparison(type)
  return compare({ dialect, tested, comparison, type, isExisting: false, text: dialect.text[matching] }, test)
}

export function tested(
  scope: SqlScope,
  rows: NamedRows,
  { column: own, test, negated }: Extract<Condition<never>, { op: 'test' }>,
): Sql {
  const { dialect, matching } = scope
  const { name, type } = own
  // Codes are compared exactly, even where the database ignores case.
  const text = dialect.text[name === 'documentId' || name === 'locale' ? 'exact' : matching]
  const tested = isLookedUp(scope, own)
    ? lookedUp(scope, rows, own.column, named)
    : valueOf(scope, rows.alias, own)
  const comparison = dialect.comparison(type)
  const subject = { dialect, tested, comparison, type, isExisting: own.isExisting === true, text }
  const met = compare(subject, test)
  if (negated) return sql('not (?)', [met])
  const stored = column(rows.alias, own.column)
  const implied =
    own.isUuid === true ? dialect.existing.impliedOfUuid(stored, test) : comparison.implied(tested, test)
  return implied === null ? met : sql('(? and ?)', [implied, met])
}
