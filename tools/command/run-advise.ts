import { readFileSync } from 'node:fs'
import { adviseIndexes, type IndexAdvice } from '../../extensions/observe'
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
import { quoteName, readDefaultLocale, readFacts, readTables } from '../../lib/tables'
import type { Advising } from './arguments'
import { type CheckedConfig, grantsIn, roleIn, unstarted } from './config-file'
import { type ExitCode, type Output, refuseMissingFile } from './output'
import { listRequest, requestsInLog } from './requests-in-log'

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
  const tables = await readTables(database, schema.schemas)
  const read = await readFacts(database, schema.schemas)
  const facts = { ...read, defaultLocale: await readDefaultLocale(database, read.tables) }
  const planner = makePlanner(settings, database)
  const given = queries.map((url) => listRequest(schema, url) ?? { url, model: null })
  const logged = log === null ? [] : requestsInLog(schema, readFileSync(log, 'utf8'))
  const advised = new Map<string, AdvisedQuery>()
  for (const { url, ...request } of [...given, ...logged])
    try {
      if (request.model === null) throw new RequestError(404, 'no list has this path')
      if (!mayRead(settings, rights.grants, request.model, 'find'))
        throw new RequestError(403, `the role is not allowed to find ${request.model.uid}`)
      const asked = { ...request, asked: { kind: 'list' }, format: 'v5', manner: contentManner } as const
      const { permitted, compiled } = planRequest(planner, { ...rights, ...asked }, facts)
      const advice = adviseIndexes({ dialect: database.dialect, textMatching, tables }, permitted)
      advised.set(compiled.select.sql, { url, select: compiled.select, asker: rights.asker, ...advice })
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      output.complain(`warning: ${url}: ${error.message}`.replace(/\p{Cc}/gu, ' '))
    }
  return [...advised.values()]
}

interface PlanSyntax {
  readonly explain: string
  /** Number of columns in front of the plan. */
  readonly planAt?: number
  readonly create: string
  /** Finds the function of hypopg, which makes indexes for the plans of one connection. */
  readonly findHypothetical?: string
}

const syntaxes: Readonly<Record<DialectName, PlanSyntax>> = {
  sqlite: { explain: 'explain query plan', planAt: 3, create: 'create index' },
  mysql: { explain: 'explain', create: 'create index' },
  postgres: {
    explain: 'explain',
    create: 'create index concurrently',
    findHypothetical: `select 1 from pg_proc where proname = 'hypopg_create_index'`,
  },
}

type SendSql = (sql: string, bindings?: readonly unknown[]) => Promise<readonly Row[]>

/** Databases read fewer rows as fast as an index. */
const fewRows = 1000

const costOf = ([first = '']: readonly string[]): string => /\.\.([\d.]+)/.exec(first)?.[1] ?? ''

/** Prints the plan, the gain and the statements for each query, and may run the statements. */
async function printAdvice(
  database: Database,
  run: SendSql,
  { advised, applies }: { readonly advised: readonly AdvisedQuery[]; readonly applies: boolean },
  output: Output,
): Promise<void> {
  const dialect = dialectOf(database)
  const { explain, planAt = 0, create, findHypothetical } = syntaxes[database.dialect]
  const isHypothetical = findHypothetical !== undefined && (await run(findHypothetical)).length > 0
  const explained = async ({ select, asker }: AdvisedQuery): Promise<readonly string[]> => {
    const bindings = bindingsOf(select, dialect, { asker, ids: undefined })
    const rows = await run(`${explain} ${select.sql}`, bindings)
    return rows.map((row) => {
      const shown = row.slice(planAt).filter((value) => value !== null)
      return `  ${shown.map(String).join(' | ')}`
    })
  }
  const rowsOf = async (table: string): Promise<number> => {
    const { explain: estimating, rowsIn } = dialect.estimate ?? { explain: '', rowsIn: Number }
    const what = dialect.estimate === null ? 'count(*)' : '1'
    const [[value] = []] = await run(`${estimating} select ${what} from ${quoteName(database, table)}`)
    return rowsIn(String(value))
  }
  const known = new Set<string>()
  for (const query of advised) {
    const { url, missing, remarks } = query
    const before = await explained(query)
    const lines = [url, ...before, ...remarks]
    const statements: string[] = []
    for (const { table, statement } of missing) {
      const rows = await rowsOf(table)
      const isNeeded = rows >= fewRows
      const gain = isNeeded
        ? 'With an index, the query reads only the rows that it needs'
        : 'No index is needed'
      lines.push(`${table} has about ${String(rows)} rows. ${gain}.`)
      if (isNeeded) statements.push(statement)
    }
    if (isHypothetical && statements.length > 0) {
      for (const statement of statements) await run('select hypopg_create_index($1)', [statement])
      lines.push(`Estimated cost: ${costOf(await explained(query))} instead of ${costOf(before)}.`)
      await run('select hypopg_reset()')
    }
    if (missing.length + remarks.length === 0) lines.push('No index is missing.')
    output.print(comment(lines))
    for (const statement of statements.filter((one) => !known.has(one))) {
      known.add(statement)
      const creating = statement.replace('create index', create)
      output.print(`${creating};`)
      if (applies) await run(creating)
    }
    if (applies && statements.length > 0)
      output.print(comment(['The plan with the index:', ...(await explained(query))]))
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
