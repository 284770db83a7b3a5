// A process of its own: prepares texts of the kind that its argument names, and prints in JSON what holding on to them
// takes of the heap beside what is counted for them.
import { knex } from 'knex'
import { planDescription } from '../../../extensions/observe/plan-description'
import { migrate } from '../../../lib'
import { openForReading } from '../../../lib/database'
import { makeContent } from '../../../lib/http/content'
import { makePlanner, planRequest, type PreparedPlan } from '../../../lib/http/plan-request'
import { readSettings } from '../../../lib/http/settings'
import { bytesBelow, bytesOfPlan } from '../../../lib/plan'
import { modelOf, type Uid } from '../../../lib/schema'
import { readFacts } from '../../../lib/tables'
import { library } from '../library'
import { weigh } from '../weigh'
import { kinds } from './texts'
import { anyConditions } from '../query-limits'

const [, , name, client = ''] = process.argv

/** So many of the small that what the engine takes for itself meanwhile does not count. */
const textsOf = (bytes: number): number => Math.max(40, Math.ceil(12_000_000 / bytes))

/** With all that a plan makes only when it is wanted. */
function counted(held: readonly PreparedPlan[]): number {
  const below = new Map(held.map(({ compiled: { root } }) => [root.branches, root.level]))
  for (const plan of held) {
    plan.compiled.totalKey()
    planDescription(plan)
  }
  const plans = held.map(({ compiled: { root, page } }) => bytesOfPlan({ root: root.level, page }))
  const hanging = [...below.values()].map(({ branches }) => bytesBelow(branches))
  return [...plans, ...hanging].reduce((sum, bytes) => sum + bytes, 0)
}

async function main(): Promise<void> {
  const kind = kinds.find((kind) => kind.name === name)
  if (kind === undefined) throw new Error(`no kind is called ${String(name)}`)
  const database = knex({ client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true })
  const { permissions = { public: { find: '*' } } } = kind
  const config = { contentTypes: library, database, permissions } as const
  await migrate(config)
  const settings = readSettings({ ...config, query: { arrayLimit: 1000, ...anyConditions } })
  const filled = openForReading(database)
  const facts = await readFacts(filled)
  const content = makeContent(settings, filled, { follower: null, sharedHeaders: null })
  const rights = await content.readRights(
    { kind: 'roles', roles: Object.keys(permissions), asker: new Map() },
    () => Promise.resolve('unasked'),
  )
  // SQL is written without being connected.
  const written = client === 'better-sqlite3' ? filled : openForReading(knex({ client }))
  const planner = makePlanner(settings, written)
  const prepared = (path: string): PreparedPlan => {
    const [, type = '', query = ''] = /^([a-z]+)s\?(.*)$/s.exec(path) ?? []
    const model = modelOf(settings.schema, `api::${type}.${type}` as Uid)
    const manner = { lists: 'pages', body: 'data' } as const
    const request = { ...rights, model, asked: { kind: 'list' }, format: 'v5', manner, text: query } as const
    return planRequest(planner, request, facts)
  }
  const { page = null } = kind.first === undefined ? {} : prepared(kind.first).compiled
  const list = page?.by === 'cursor' ? page.list : ''
  const ask = (text: number): PreparedPlan => prepared(kind.path(text, list))
  const texts = textsOf(counted([ask(0)]))
  const before = await weigh()
  const held = Array.from({ length: texts }, (_, text) => ask(text + 1))
  const bytes = counted(held)
  const after = await weigh()
  process.stdout.write(JSON.stringify({ real: (after - before) / held.length, counted: bytes / held.length }))
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(String(error))
    process.exit(1)
  },
)
