import { readFileSync } from 'node:fs'
import {
  type AdvisedIndex,
  adviseIndexes,
  type IndexAdvice,
  readExistingIndexes,
} from '../../extensions/observe'
import type { BoundAsker } from '../../lib/access'
import type { Database, DialectName } from '../../lib/database'
import { RequestError } from '../../lib/errors'
import {
  contentManner,
  contentRouter,
  exploredRouter,
  type ExploredRouter,
  makePlanner,
  mayRead,
  planRequest,
} from '../../lib/http'
import { bindingsOf, dialectOf, type RawConnections, type Row, type Statement } from '../../lib/sql'
import { quoteName, readDefaultLocale, readFacts } from '../../lib/tables'
import type { Advising } from './arguments'
import { type CheckedConfig, grantsIn, roleIn, unstarted } from './config-file'
import { type ExitCode, type Output, refuseMissingFile } from './output'
import { formOf, listRequest, requestsInLog } from './requests-in-log'

/** Security: queries and plans contain values of requests, and a line break would end a comment. */
const comment = (lines: readonly string[]): string =>
  lines
    .flatMap((line) => line.trimEnd().split(/[\r\n]+/))
    .map((line) => `-- ${line.replace(/\p{Cc}/gu, ' ')}`)
    .join('\n')

interface AdvisedQuery extends IndexAdvice {
  readonly url: string
  readonly select: Statement
  readonly asker: BoundAsker
}

/** The queries, as the role sends them. Equal statements are one. */
async function adviseQueries(
  { database, rightsGiven }: ExploredRouter,
  { queries, log, role, asker }: Advising,
  output: Output,
): Promise<readonly AdvisedQuery[]> {
  const { settings, rights } = await rightsGiven(role === null ? undefined : { roles: [role], asker })
  const { schema, textMatching } = settings
  const indexes = await readExistingIndexes(database, schema.schemas)
  const read = await readFacts(database, schema.schemas)
  const facts = { ...read, defaultLocale: await readDefaultLocale(database, read.tables) }
  const planner = makePlanner(settings, database)
  const given = queries.map((url) => listRequest(schema, url) ?? { url, model: null })
  const logged = log === null ? [] : requestsInLog(schema, readFileSync(log, 'utf8'))
  if (log !== null && logged.length === 0)
    output.complain(`warning: ${log}: the file contains no request for a list`)
  const advised = new Map<string, AdvisedQuery>()
  const forms = new Set<string>()
  for (const request of [...given, ...logged])
    try {
      const { url, model } = request
      if (model === null) throw new RequestError(404, 'no list has this path')
      const form = formOf(request)
      if (forms.has(form)) continue
      if (!mayRead(settings, rights.grants, model, 'find'))
        throw new RequestError(403, `the role is not allowed to find ${model.uid}`)
      const asked = { asked: { kind: 'list' }, format: 'v5', manner: contentManner } as const
      const list = { model, text: request.text }
      const { permitted, compiled } = planRequest(planner, { ...rights, ...list, ...asked }, facts)
      const { missing, remarks } = adviseIndexes(
        { dialect: database.dialect, textMatching, indexes },
        permitted,
      )
      const assumed =
        request.isShape && url.includes('?filters=')
          ? ['A shape has no operators, so advise assumes $eq. No index helps $contains, $endsWith or $eqi.']
          : []
      const { select } = compiled
      const advice = { missing, remarks: [...assumed, ...remarks] }
      advised.set(select.sql, { url, select, asker: rights.asker, ...advice })
      forms.add(form)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      output.complain(`warning: ${request.url}: ${error.message}`.replace(/\p{Cc}/gu, ' '))
    }
  return [...advised.values()]
}

interface PlanSyntax {
  readonly explain: string
  /** Names only indexes that the query uses, apart from `possible_keys`. */
  readonly explainUse?: string
  /** Number of columns in front of the plan. */
  readonly planAt?: number
  /** Finds the function of hypopg, which makes indexes for the plans of one connection. */
  readonly findHypothetical?: string
}

const syntaxes: Readonly<Record<DialectName, PlanSyntax>> = {
  sqlite: { explain: 'explain query plan', planAt: 3 },
  mysql: { explain: 'explain', explainUse: 'explain format=json' },
  postgres: {
    explain: 'explain',
    findHypothetical: `select 1 from pg_proc where proname = 'hypopg_create_index'`,
  },
}

type SendSql = (sql: string, bindings?: readonly unknown[]) => Promise<readonly Row[]>

/** Databases read fewer rows as fast as an index. */
const fewRows = 1000

function gainOf({ table, isAlwaysUsed }: AdvisedIndex, rows: number): string {
  const start = `${table} has about ${String(rows)} rows.`
  if (rows < fewRows) return `${start} No index is needed.`
  return isAlwaysUsed
    ? `${start} With an index, the query reads only the rows that it needs.`
    : `${start} The database uses an index only if few rows are in the range.`
}

interface Plans {
  readonly rowsOf: (table: string) => Promise<number>
  readonly planOf: (query: AdvisedQuery) => Promise<readonly string[]>
  /** Names of the indexes among these that the query does not use. */
  readonly unusedIn: (query: AdvisedQuery, names: readonly string[]) => Promise<readonly string[]>
  /** Null without hypopg. */
  readonly costWith: (query: AdvisedQuery, indexes: readonly AdvisedIndex[]) => Promise<string | null>
}

const costOf = ([first = '']: readonly string[]): string => /\.\.([\d.]+)/.exec(first)?.[1] ?? ''

async function plansOf(database: Database, run: SendSql): Promise<Plans> {
  const dialect = dialectOf(database)
  const { explain, explainUse = explain, planAt = 0, findHypothetical } = syntaxes[database.dialect]
  const isHypothetical = findHypothetical !== undefined && (await run(findHypothetical)).length > 0
  const explained = async ({ select, asker }: AdvisedQuery, by: string): Promise<readonly string[]> => {
    const rows = await run(`${by} ${select.sql}`, bindingsOf(select, dialect, { asker, ids: undefined }))
    return rows.map((row) => {
      const shown = row.slice(planAt).filter((value) => value !== null)
      return `  ${shown.map(String).join(' | ')}`
    })
  }
  return {
    rowsOf: async (table) => {
      const { explain: estimating, rowsIn } = dialect.estimate ?? { explain: '', rowsIn: Number }
      const what = dialect.estimate === null ? 'count(*)' : '1'
      const [[value] = []] = await run(`${estimating} select ${what} from ${quoteName(database, table)}`)
      return rowsIn(String(value))
    },
    planOf: (query) => explained(query, explain),
    unusedIn: async (query, names) => {
      const plan = (await explained(query, explainUse)).join('\n')
      const words = plan.replace(/"possible_keys": \[[^\]]*\]/g, '').split(/[\s"`:|]+/)
      return names.filter((name) => !words.includes(name))
    },
    costWith: async (query, indexes) => {
      if (!isHypothetical) return null
      for (const { statement } of indexes)
        await run('select hypopg_create_index($1)', [statement.replace(' concurrently', '')])
      const cost = costOf(await explained(query, explain))
      await run('select hypopg_reset()')
      return cost
    },
  }
}

/** Prints the plan, the gain and the statements for each query, and may run the statements. */
async function printAdvice(
  database: Database,
  run: SendSql,
  { advised, applies }: { readonly advised: readonly AdvisedQuery[]; readonly applies: boolean },
  output: Output,
): Promise<void> {
  const { rowsOf, planOf, unusedIn, costWith } = await plansOf(database, run)
  const known = new Set<string>()
  for (const query of advised) {
    const { url, missing, remarks } = query
    const before = await planOf(query)
    const lines = [url, ...before, ...remarks]
    const needed: AdvisedIndex[] = []
    for (const index of missing) {
      const rows = await rowsOf(index.table)
      lines.push(gainOf(index, rows))
      if (rows >= fewRows) needed.push(index)
    }
    const cost = needed.length === 0 ? null : await costWith(query, needed)
    if (cost !== null) lines.push(`Estimated cost: ${cost} instead of ${costOf(before)}.`)
    if (missing.length + remarks.length === 0) lines.push('No index is missing.')
    output.print(comment(lines))
    for (const { table, keys, statement } of needed) {
      const key = JSON.stringify([table, keys])
      if (known.has(key)) continue
      known.add(key)
      output.print(`${statement};`)
      if (applies) await run(statement)
    }
    if (!applies || needed.length === 0) continue
    const names = needed.map(({ name }) => name)
    const unused = (await unusedIn(query, names)).map(
      (name) => `This query does not use the index ${name}. If no other query needs the index, drop it.`,
    )
    output.print(comment(['The plan with the index:', ...(await planOf(query)), ...unused]))
  }
}

export async function runAdvise(
  config: CheckedConfig,
  advising: Advising,
  output: Output,
): Promise<ExitCode> {
  refuseMissingFile(config.database)
  const table = grantsIn(config)
  if (advising.role !== null && table !== null) roleIn(table, advising.role)
  const api = contentRouter({
    role: () => null,
    permissions: { public: { find: '*' } },
    ...unstarted(config),
  })
  const explored = exploredRouter('advise', api)
  const { database } = explored
  const client = database.knex.client as RawConnections
  try {
    const advised = await adviseQueries(explored, advising, output)
    const connection = await client.acquireConnection()
    const run: SendSql = (sql, bindings = []) => dialectOf(database).run(connection, sql, bindings)
    const { applies } = advising
    await printAdvice(database, run, { advised, applies }, output).finally(() =>
      client.releaseConnection(connection),
    )
    return advised.length === 0 ? 1 : 0
  } finally {
    await api.close()
  }
}
