import type { Operand, Test } from '../plan'
import type { Column, ColumnType } from '../schema'
import type { Dialect, TextMatching } from './dialect'
import { column, type SqlScope } from './sql-scope'
import { anyOf, joined, type Sql, sql } from './sql'

/** Codes, not words: they are compared exactly, even where the database ignores case. */
const codes = new Set(['document_id', 'locale'])

const isText = (type: ColumnType): boolean => type === 'string'

interface Subject {
  readonly dialect: Dialect
  readonly tested: Sql
  /** What of it values are compared with. */
  readonly compared: Sql
  readonly type: ColumnType
  readonly text: TextMatching
}

const value = ({ dialect, type }: Subject, operand: Operand): Sql => dialect.operand(operand, type)

/** What is compared by order: texts by code point, everything else as it is. */
function ordered({ compared, type, text }: Subject, side: Sql = compared): Sql {
  return isText(type) ? text.ordered(side) : side
}

function equal(subject: Subject, test: Extract<Test, { is: 'equal' }>): Sql {
  const { tested, type, text } = subject
  if ((isText(type) || test.ignoreCase) && typeof test.value === 'string') {
    return test.ignoreCase ? text.equalIgnoringCase(tested, test.value) : text.equal(tested, test.value)
  }
  return sql('? = ?', [subject.compared, value(subject, test.value)])
}

function within(subject: Subject, values: readonly Operand[]): Sql {
  if (values.length === 0) return sql('1 = 0')
  if (isText(subject.type)) {
    const each = values.map((one) => equal(subject, { is: 'equal', value: one, ignoreCase: false }))
    return anyOf(each)
  }
  const list = joined(
    values.map((one) => value(subject, one)),
    ', ',
  )
  return sql('? in (?)', [subject.compared, list])
}

const signs = { '<': '? < ?', '<=': '? <= ?', '>': '? > ?', '>=': '? >= ?' } as const

/** One entry for each kind of comparison; each is NULL where the column is. */
export function compare(subject: Subject, test: Test): Sql {
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

/** How many rows a group has. */
export function subjectOfCount({ dialect, matching }: SqlScope): Subject {
  const tested = sql('count(*)')
  return { dialect, tested, compared: tested, type: 'integer', text: dialect.text[matching] }
}

export function subjectOf(
  { dialect, matching }: SqlScope,
  alias: string,
  { column: name, type }: Column,
): Subject {
  const text = dialect.text[codes.has(name) ? 'exact' : matching]
  const tested = sql('??', [column(alias, name)])
  return { dialect, tested, compared: dialect.compared(tested, type), type, text }
}
