import { startMariaDb } from './mariadb'
import { startMySql } from './mysql'
import { startPostgres } from './postgres'
import { makeHome, type Running, shareData } from './private-server'

export const databaseNames = ['sqlite', 'mariadb', 'mysql', 'postgres'] as const
export type DatabaseName = (typeof databaseNames)[number]

interface Choice {
  readonly name: Exclude<DatabaseName, 'sqlite'>
  readonly variable: 'TEST_MARIADB_URL' | 'TEST_MYSQL_URL' | 'TEST_POSTGRES_URL'
  readonly remedy: string
  readonly start: () => Promise<Running | undefined>
}

const choices: readonly Choice[] = [
  {
    name: 'mariadb',
    variable: 'TEST_MARIADB_URL',
    remedy: 'apt-get install mariadb-server',
    start: startMariaDb,
  },
  {
    name: 'mysql',
    variable: 'TEST_MYSQL_URL',
    remedy: 'name its mysqld in MYSQLD, or a server in TEST_MYSQL_URL',
    start: startMySql,
  },
  {
    name: 'postgres',
    variable: 'TEST_POSTGRES_URL',
    remedy: 'apt-get install postgresql',
    start: startPostgres,
  },
]

interface Outcome {
  readonly name: DatabaseName
  readonly runs: boolean
  readonly line: string
}

const stops: (() => Promise<void>)[] = []

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function start({ name, variable, remedy, start }: Choice): Promise<Outcome> {
  if (process.env[variable]) return { name, runs: true, line: `runs, at ${variable}` }
  try {
    const running = await start()
    if (running === undefined)
      return { name, runs: false, line: `DOES NOT RUN: not installed; to add it: ${remedy}` }
    stops.push(running.stop)
    process.env[variable] = running.url
    return { name, runs: true, line: 'runs, a private server with temporary data' }
  } catch (error) {
    return { name, runs: false, line: `DOES NOT RUN: ${reasonOf(error)}` }
  }
}

/** A crash of the run takes the files along, as it does the servers. */
function makeFolderForFiles(): Outcome {
  const { folder, stop } = makeHome('sqlite', 'KILL')
  stops.push(stop)
  process.env['TEST_SQLITE_FOLDER'] = folder
  return { name: 'sqlite', runs: true, line: 'runs, in temporary files' }
}

function chosenNames(): readonly string[] {
  const chosen = process.env['DATABASES']
  return chosen ? chosen.split(',').map((name) => name.trim()) : databaseNames
}

function refuseUnknown(chosen: readonly string[]): void {
  const known: readonly string[] = databaseNames
  const unknown = chosen.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`DATABASES knows ${known.join(', ')}, not ${unknown.join(', ')}`)
}

async function startOrLeave(name: DatabaseName, chosen: readonly string[]): Promise<Outcome> {
  if (!chosen.includes(name)) return { name, runs: false, line: 'LEFT OUT by DATABASES' }
  const choice = choices.find((choice) => choice.name === name)
  return choice ? start(choice) : makeFolderForFiles()
}

function report(outcomes: readonly Outcome[]): void {
  const lines = outcomes.map(({ name, line }) => `  ${name.padEnd(9)}${line}\n`)
  process.stdout.write(`\nDatabases of this run:\n${lines.join('')}`)
}

/** What was named on the command line. */
interface NamedSpecs {
  readonly testPathPatterns: { readonly patterns: readonly string[] }
}

/** Whether only specs are named that need no server. */
const areOfMeaning = ({ testPathPatterns: { patterns } }: NamedSpecs): boolean =>
  patterns.length > 0 && patterns.every((pattern) => pattern.includes('spec/meaning'))

/** Starts what is there, in parallel, and leaves word for the specs in the environment that the workers inherit. */
export async function startServers(named?: NamedSpecs): Promise<void> {
  if (process.env['CI'] !== 'true' && named !== undefined && areOfMeaning(named))
    process.env['DATABASES'] ??= 'sqlite'
  const chosen = chosenNames()
  refuseUnknown(chosen)
  if (chosen.some((name) => name !== 'sqlite')) stops.push(shareData().stop)
  const outcomes = await Promise.all(databaseNames.map((name) => startOrLeave(name, chosen)))
  report(outcomes)
  process.env['RUNNING_DATABASES'] = outcomes.flatMap(({ name, runs }) => (runs ? [name] : [])).join(',')
  if (process.env['CI'] === 'true' && outcomes.some(({ runs }) => !runs)) {
    await stopServers()
    throw new Error('with CI=true every database must run')
  }
}

export async function stopServers(): Promise<void> {
  await Promise.all(stops.splice(0).map((stop) => stop()))
}
