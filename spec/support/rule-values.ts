import { ConfigError, type ContentRouterConfig, type Grant } from '../../lib'
import { collection } from './library'
import type { Stocked } from './served'

const kinds = [
  ...['string', 'text', 'email', 'uid', 'integer', 'biginteger', 'float', 'decimal', 'boolean'],
  ...['date', 'time', 'datetime', 'timestamp', 'json', 'blocks'],
]
export const ruleValueTypes = [
  collection('thing', Object.fromEntries(kinds.map((kind) => [`a_${kind}`, { type: kind }]))),
] as unknown as ContentRouterConfig['contentTypes']

export const ruleValueContent = { thing: [{ a_string: 'open', a_json: { a: 1 } }] }

const names = [...kinds.map((kind) => `a_${kind}`), 'id', 'documentId', 'createdAt']
const each = ['$eq', '$eqi', '$ne', '$lt', '$gte', '$contains', '$startsWithi', '$null', '$jsonSupersetOf']
const lists = ['$in', '$notIn', '$between']
const values = [
  'open',
  '',
  '7',
  '1e400',
  '-99999999999999999999',
  '2024-02-30',
  '2024-05-05',
  '{"a":1}',
  '\0',
]

type Condition = (value: string) => object

const comparisons: readonly Condition[] = [
  ...each.map((operator): Condition => (value) => ({ [operator]: value })),
  ...lists.map((operator): Condition => (value) => ({ [operator]: [value, value] })),
  (value) => ({ $not: { $eq: value } }),
]

/** Every operator on every kind of attribute, with each value. */
export const allRuleValues: readonly object[] = names.flatMap((name) =>
  comparisons.flatMap((compare) => values.map((value) => ({ [name]: compare(value) }))),
)

/** Every operator on every kind of attribute, with one value; each value with every operator and every kind. */
export const someRuleValues: readonly object[] = names.flatMap((name, row) =>
  comparisons.map((compare, column) => ({
    [name]: compare(values[(row + column) % values.length] ?? ''),
  })),
)

/** The roles whose rules are rejected at start. */
function rejectedRoles(start: () => unknown): ReadonlySet<string | undefined> {
  try {
    start()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return new Set(error.faults.map(({ where }) => where.split('.')[1]))
  }
  return new Set()
}

/** Starts with one role for each condition, and sends a request for each that was accepted. */
export async function expectRejectedOrServed(
  serve: Stocked['serve'],
  conditions: readonly object[],
  textMatching: 'exact' | 'database',
): Promise<void> {
  const grants: readonly (readonly [role: string, grant: Grant])[] = conditions.map((where, number) => [
    `role${String(number)}`,
    { find: { thing: { where } } },
  ])
  const rejected = rejectedRoles(() => serve({ permissions: Object.fromEntries(grants), textMatching }))
  const accepted = grants.filter(([role]) => !rejected.has(role))
  expect(rejected.size).toBeGreaterThan(conditions.length / 4)
  expect(accepted.length).toBeGreaterThan(conditions.length / 4)
  const { get } = serve({ permissions: Object.fromEntries(accepted), textMatching })
  const failed: unknown[] = []
  for (const [role, rule] of accepted) {
    const { status } = await get('things?pagination[withCount]=false', role)
    if (status !== 200) failed.push([status, rule])
  }
  expect(failed).toEqual([])
}
