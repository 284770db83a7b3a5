import { ConfigError, type ContentRouterConfig, type Grant } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection } from '../support/library'
import { stocked } from '../support/served'

const kinds = [
  ...['string', 'text', 'email', 'uid', 'integer', 'biginteger', 'float', 'decimal', 'boolean'],
  ...['date', 'time', 'datetime', 'timestamp', 'json', 'blocks'],
]
const types = [
  collection('thing', Object.fromEntries(kinds.map((kind) => [`a_${kind}`, { type: kind }]))),
] as unknown as ContentRouterConfig['contentTypes']

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

const conditions = names.flatMap((name) =>
  values.flatMap((value) => [
    ...each.map((operator) => ({ [name]: { [operator]: value } })),
    ...lists.map((operator) => ({ [name]: { [operator]: [value, value] } })),
    { [name]: { $not: { $eq: value } } },
  ]),
)
const rules: Readonly<Record<string, Grant>> = Object.fromEntries(
  conditions.map((where, number) => [`role${String(number)}`, { find: { thing: { where } } }]),
)

/** Those that are refused at start. */
function refusedIn(start: () => unknown): ReadonlySet<string | undefined> {
  try {
    start()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return new Set(error.faults.map(({ where }) => where.split('.')[1]))
  }
  return new Set()
}

onSqlite((database) => {
  const { serve } = stocked(database, types, { thing: [{ a_string: 'open', a_json: { a: 1 } }] })

  it.each(['exact', 'database'] as const)(
    'what a rule compares with is refused at start or can be asked, matching %s',
    async (textMatching) => {
      const refused = refusedIn(() => serve({ permissions: rules, textMatching }))
      const permissions = Object.fromEntries(Object.entries(rules).filter(([role]) => !refused.has(role)))
      expect(refused.size).toBeGreaterThan(500)
      expect(Object.keys(permissions).length).toBeGreaterThan(500)
      const { get } = serve({ permissions, textMatching })
      const failed: unknown[] = []
      for (const [role, rule] of Object.entries(permissions)) {
        const { status } = await get('things?pagination[withCount]=false', role)
        if (status !== 200) failed.push([status, rule])
      }
      expect(failed).toEqual([])
    },
    120_000,
  )
})
