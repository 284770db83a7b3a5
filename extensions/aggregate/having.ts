import { malformed, unknownKey } from '../../lib/errors'
import { isCompareOperator, operators } from '../../lib/operators'
import { askerValueOf, type Test, type Value } from '../../lib/plan'
import { isRawList, isRawObject, type Raw, type RawObject } from '../../lib/query'
import type { ColumnType } from '../../lib/schema'
import { all, compareTo, type Sql, sql, type SqlScope } from '../../lib/sql'

/** A column of the groups that a condition may name. */
export interface GroupColumn {
  readonly name: string
  readonly column: string
  /** The type of its values. */
  readonly type: ColumnType
  /** True if the database sorts only by the beginning of the text. */
  readonly isCut: boolean
}

function valueIn(raw: Raw, type: ColumnType, path: readonly string[]): Value {
  const read = (as: ColumnType): Value | undefined =>
    typeof raw === 'string' ? askerValueOf({ type: as }, raw) : undefined
  // Doubles round integers beyond 2^53.
  const value = (type === 'decimal' ? read('biginteger') : undefined) ?? read(type)
  const expected = type === 'biginteger' ? 'an integer' : `a value of type ${type}`
  if (value === undefined) throw malformed(path, `Invalid value: expected ${expected}`)
  return value
}

function testOf(
  operator: string,
  raw: Raw,
  type: ColumnType,
  path: readonly string[],
): Test & { readonly negated: boolean } {
  if (!isCompareOperator(operator)) throw unknownKey(path, operator)
  const { test, negated } = operators[operator]
  const values = (): readonly Value[] => (isRawList(raw) ? raw : [raw]).map((one) => valueIn(one, type, path))
  switch (test.is) {
    case 'null': {
      if (raw !== 'true' && raw !== 'false') throw malformed(path, 'Invalid value: expected true or false')
      return { is: 'null', negated: negated !== (raw === 'false') }
    }
    case 'equal':
    case 'ordered':
      return { ...test, value: valueIn(raw, type, path), negated }
    case 'within':
      return { is: 'within', values: values(), negated }
    case 'between': {
      const [from, to, ...more] = values()
      if (from === undefined || to === undefined || more.length > 0)
        throw malformed(path, 'Invalid value: expected two values')
      return { is: 'between', from, to, negated }
    }
    case 'text':
    case 'superset':
      throw malformed(path, `having does not support ${operator}`)
  }
}

/** Conditions on the columns of groups. A name is a path of keys: `having[sum][views][$gte]=5`. */
export function havingOf(scope: SqlScope, having: RawObject, columns: readonly GroupColumn[]): Sql {
  const met: Sql[] = []
  const read = (raw: Raw, names: readonly string[]): void => {
    const path = ['having', ...names]
    if (!isRawObject(raw)) throw malformed(path, 'Invalid having parameter: write having[count][$gte]=2')
    for (const [key, value] of Object.entries(raw)) {
      if (!key.startsWith('$')) {
        read(value, [...names, key])
        continue
      }
      if (names.length === 0) throw unknownKey([...path, key], key, 'write having[count][$gte]=2')
      const found = columns.find(({ name }) => name === names.join('.'))
      if (found === undefined) {
        const known = columns.map(({ name }) => name).join(', ')
        throw unknownKey(
          path,
          names.join('.'),
          `having supports only the groups and aggregates of the query: ${known}`,
        )
      }
      const { negated, ...test } = testOf(key, value, found.type, [...path, key])
      const condition = compareTo(scope, sql('??', [found.column]), found.type, test)
      met.push(negated ? sql('not (?)', [condition]) : condition)
    }
  }
  read(having, [])
  return all(met)
}
