// Comes in: nothing. Goes out: every filter operator as an entry of one table, and the other names that filters know.
// Refused: nothing. Browsers load it with the page of the explorer, so that it imports nothing.

/** Attributes of which all databases have the same text, the same order, and those that are left. */
const texts = ['string', 'id', 'integer', 'biginteger', 'date'] as const
const ordered = [...texts, 'float', 'decimal', 'boolean', 'time', 'datetime', 'timestamp'] as const
const all = [...ordered, 'json'] as const

type ComparedType = (typeof all)[number]

/** Types of the attributes that an operator compares, by the option `textMatching`. */
interface ComparedTypes {
  /** All databases agree on these. */
  readonly exact: readonly ComparedType[]
  readonly database: readonly ComparedType[]
}

/** A test of one value of the attribute's type. */
export type ValueTest =
  | { readonly is: 'equal'; readonly ignoreCase: boolean }
  | { readonly is: 'ordered'; readonly sign: '<' | '<=' | '>' | '>=' }

/** A test of one text. */
export interface TextTest {
  readonly is: 'text'
  readonly place: 'start' | 'end' | 'anywhere'
  readonly ignoreCase: boolean
}

/** An operator that compares: the parser, plans, rules, types, OpenAPI, the explorer and docs read its entry. */
export interface Operator {
  /** Number of values. Several values for an operator that takes one mean any of them. */
  readonly takes: 'one' | 'two' | 'any number'
  /** Kind of its values; `own` is the type of the attribute. */
  readonly value: 'own' | 'text' | 'truth' | 'json'
  readonly types: ComparedTypes
  /** The planner adds the values. */
  readonly test: ValueTest | TextTest | { readonly is: 'null' | 'within' | 'between' | 'superset' }
  readonly negated: boolean
  /** Text in the explorer and in docs/reference/operators.md. */
  readonly meaning: string
}

const onTexts: ComparedTypes = { exact: texts, database: all }
const onOrdered: ComparedTypes = { exact: ordered, database: all }
const onAll: ComparedTypes = { exact: all, database: all }
const onJson: ComparedTypes = { exact: [], database: all }

const byValue = { takes: 'one', value: 'own', types: onOrdered, negated: false } as const
const byText = { takes: 'one', value: 'text', types: onTexts, negated: false } as const
const isNull = { takes: 'one', value: 'truth', types: onAll, test: { is: 'null' } } as const

const equal = { ...byValue, test: { is: 'equal', ignoreCase: false } } as const
const equali = { ...byValue, test: { is: 'equal', ignoreCase: true } } as const
const within = { ...byValue, takes: 'any number', test: { is: 'within' } } as const
const finds = (place: TextTest['place'], ignoreCase: boolean) =>
  ({ ...byText, test: { is: 'text', place, ignoreCase } }) as const

const table = {
  $eq: { ...equal, meaning: 'is equal to' },
  $eqi: { ...equali, meaning: 'is equal to, case-insensitive' },
  $ne: { ...equal, negated: true, meaning: 'is not equal to' },
  $nei: { ...equali, negated: true, meaning: 'is not equal to, case-insensitive' },
  $lt: { ...byValue, test: { is: 'ordered', sign: '<' }, meaning: 'is less than' },
  $lte: { ...byValue, test: { is: 'ordered', sign: '<=' }, meaning: 'is less than or equal to' },
  $gt: { ...byValue, test: { is: 'ordered', sign: '>' }, meaning: 'is greater than' },
  $gte: { ...byValue, test: { is: 'ordered', sign: '>=' }, meaning: 'is greater than or equal to' },
  $in: { ...within, meaning: 'is in the list' },
  $notIn: { ...within, negated: true, meaning: 'is not in the list' },
  $contains: { ...finds('anywhere', false), meaning: 'contains the substring' },
  $notContains: { ...finds('anywhere', false), negated: true, meaning: 'does not contain the substring' },
  $containsi: { ...finds('anywhere', true), meaning: 'contains the substring, case-insensitive' },
  $notContainsi: {
    ...finds('anywhere', true),
    negated: true,
    meaning: 'does not contain the substring, case-insensitive',
  },
  $startsWith: { ...finds('start', false), meaning: 'starts with the prefix' },
  $startsWithi: { ...finds('start', true), meaning: 'starts with the prefix, case-insensitive' },
  $endsWith: { ...finds('end', false), meaning: 'ends with the suffix' },
  $endsWithi: { ...finds('end', true), meaning: 'ends with the suffix, case-insensitive' },
  $null: { ...isNull, negated: false, meaning: 'is null' },
  $notNull: { ...isNull, negated: true, meaning: 'is not null' },
  $between: {
    ...byValue,
    takes: 'two',
    test: { is: 'between' },
    meaning: 'is between two values, inclusive',
  },
  $jsonSupersetOf: {
    ...{ takes: 'one', value: 'json', types: onJson, negated: false },
    test: { is: 'superset' },
    meaning: 'contains the JSON value',
  },
} as const satisfies Readonly<Record<string, Operator>>

export type OperatorTable = typeof table
export type CompareOperator = keyof OperatorTable

export const operators: Readonly<Record<CompareOperator, Operator>> = table

export const compareOperators = Object.keys(table) as readonly CompareOperator[]

export const isCompareOperator = (key: string): key is CompareOperator => Object.hasOwn(table, key)

/** True for the test that a value is one of some names, which needs neither an order nor letters. */
const isOfNames = ({ test }: Operator): boolean =>
  test.is === 'within' || (test.is === 'equal' && !test.ignoreCase)

export const nameOperators = compareOperators.filter((name) => isOfNames(operators[name]))

export const hasMeaning = (
  operator: CompareOperator,
  type: ComparedType,
  matching: keyof ComparedTypes,
): boolean => operators[operator].types[matching].includes(type)

/** Entries that an attribute leads to: one of them, none, or each. */
export const quantifiers = ['$some', '$none', '$every'] as const
export type Quantifier = (typeof quantifiers)[number]

/** Number of entries that an attribute leads to, in conditions and as the last name of a sort. */
export const countName = '$count'

export const operatorNames = [...compareOperators, '$and', '$or', '$not', ...quantifiers, countName]
