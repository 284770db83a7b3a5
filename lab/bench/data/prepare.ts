import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { knex as makeKnex, type Knex } from 'knex'
import { Client } from 'pg'
import { migrate } from '../../../lib'
import { recordingOf } from '../../../spec/support/recordings'
import type { FilledDatabase } from '../measured-databases'
import { startMariaDb } from '../../../spec/support/servers/mariadb'
import { startMySql } from '../../../spec/support/servers/mysql'
import { startPostgres } from '../../../spec/support/servers/postgres'
import type { Running } from '../../../spec/support/servers/private-server'
import { stores } from '../../../spec/support/stores'
import { fill } from './fill'
import { madeSingly, multiply } from './multiply'

const root = join(__dirname, '..', '..', '..')
export const benchFolder = join(root, '.tmp', 'bench')
export const benchTypes = join(root, 'lab', 'bench', 'content-types')

/** Enough memory for all content to stay in it: reading disks is not what is measured. */
const settings = {
  mariadb: ['--innodb-buffer-pool-size=1G', '--innodb-log-file-size=256M'],
  mysql: ['--innodb-buffer-pool-size=1G', '--innodb-redo-log-capacity=256M'],
  postgres: ['-c', 'shared_buffers=1GB'],
} as const

const folderOf = (name: FilledDatabase): string => join(benchFolder, name)

async function answers(name: FilledDatabase, url: string): Promise<boolean> {
  try {
    const connection = name === 'postgres' ? new Client(url) : await createConnection(url)
    if (connection instanceof Client) await connection.connect()
    await connection.end()
    return true
  } catch {
    return false
  }
}

/** Two runs at once share the server of the first: data on disk can have one server only. */
async function startOrJoin(
  name: Exclude<FilledDatabase, 'sqlite'>,
  start: (kept: { folder: string; settings: readonly string[] }) => Promise<Running | undefined>,
): Promise<Running | undefined> {
  const folder = folderOf(name)
  const address = join(benchFolder, `${name}.url`)
  const known = existsSync(address) ? readFileSync(address, 'utf8') : undefined
  if (known !== undefined && (await answers(name, known))) {
    return { url: known, stop: () => Promise.resolve() }
  }
  const running = await start({ folder, settings: settings[name] })
  if (running !== undefined) writeFileSync(address, running.url, { mode: 0o600 })
  return running
}

/** A database that the bench may read, and the processes that work for it. */
export interface Prepared {
  readonly name: FilledDatabase
  /** 20,000 articles, or as many as are asked for, made by `migrate`, `fill` and `multiply`. */
  readonly bench: Knex.Config
  /** What Strapi wrote when its answers were recorded. */
  readonly recorded: Knex.Config
  readonly recordedTypes: string
  /** The server's process; none for SQLite, which works in Node's. */
  readonly serverPid: number | null
  /** The same content once more, in tables that Strapi makes when it begins with an empty database. */
  twin(begin: (config: Knex.Config) => Promise<void>): Promise<Twin>
  stop(): Promise<void>
}

export interface Twin {
  readonly bench: Knex.Config
  readonly recorded: Knex.Config
  readonly types: { readonly bench: string; readonly recorded: string }
}

const makers = ['content.ts', 'fill.ts', 'words.ts']

function fingerprint(name: FilledDatabase, documents: number): string {
  const files = documents > madeSingly ? [...makers, 'multiply.ts'] : makers
  const sources = files.map((file) => readFileSync(join(__dirname, file), 'utf8'))
  const types = readdirSync(benchTypes, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  return createHash('sha1')
    .update([name, String(documents), ...sources, ...types].join('\n'))
    .digest('hex')
}

export async function makeOnce(
  name: FilledDatabase,
  database: string,
  mark: string,
  make: (config: Knex.Config) => Promise<void>,
): Promise<Knex.Config> {
  const store = stores[name]
  const marker = join(benchFolder, `${name}.${database}.made`)
  if (existsSync(marker) && readFileSync(marker, 'utf8') === mark) return store.at(database)
  await store.drop(store.at(database)).catch(() => undefined)
  rmSync(marker, { force: true })
  const config = await store.create(database)
  await make(config)
  writeFileSync(marker, mark)
  return config
}

export const serverPidOf = (name: FilledDatabase): number | null =>
  name === 'sqlite' ? null : Number(readFileSync(join(folderOf(name), 'pid'), 'utf8'))

async function fillNew(name: FilledDatabase, config: Knex.Config, documents: number): Promise<void> {
  await migrate({ contentTypes: benchTypes, database: config })
  const knex = makeKnex(config)
  try {
    await fill(knex, name, Math.min(documents, madeSingly))
    if (documents > madeSingly) await multiply(knex, name, documents)
  } finally {
    await knex.destroy()
  }
}

export async function startDatabase(name: FilledDatabase): Promise<Running | undefined> {
  switch (name) {
    case 'sqlite':
      mkdirSync(folderOf(name), { recursive: true })
      process.env['TEST_SQLITE_FOLDER'] = folderOf(name)
      return { url: '', stop: () => Promise.resolve() }
    case 'mariadb': {
      const running = await startOrJoin(name, startMariaDb)
      if (running !== undefined) process.env['TEST_MARIADB_URL'] = running.url
      return running
    }
    case 'mysql': {
      const running = await startOrJoin(name, startMySql)
      if (running !== undefined) process.env['TEST_MYSQL_URL'] = running.url
      return running
    }
    case 'postgres': {
      const running = await startOrJoin(name, startPostgres)
      if (running !== undefined) process.env['TEST_POSTGRES_URL'] = running.url
      return running
    }
  }
}

/** Starts the server, if the database has one, and makes what is not there yet. Undefined: it is not installed. */
export async function prepare(name: FilledDatabase, documents: number): Promise<Prepared | undefined> {
  mkdirSync(benchFolder, { recursive: true })
  const running = await startDatabase(name)
  if (running === undefined) return undefined
  try {
    const bench = await makeOnce(name, `bench_${String(documents)}`, fingerprint(name, documents), (config) =>
      fillNew(name, config, documents),
    )
    const recording = recordingOf(name)
    const recorded = await makeOnce(name, 'recorded', 'once', (config) =>
      stores[name].restore(config, recording.dump),
    )
    const twin = async (begin: (config: Knex.Config) => Promise<void>): Promise<Twin> => ({
      bench: await makeOnce(name, 'strapi_bench', fingerprint(name, documents), async (config) => {
        await begin(config)
        await fillNew(name, config, documents)
      }),
      recorded: await makeOnce(name, 'strapi_recorded', 'once', (config) =>
        stores[name].restore(config, recording.dump),
      ),
      types: { bench: benchTypes, recorded: recording.contentTypes },
    })
    return {
      name,
      bench,
      recorded,
      recordedTypes: recording.contentTypes,
      serverPid: serverPidOf(name),
      twin,
      stop: running.stop,
    }
  } catch (error) {
    await running.stop()
    throw error
  }
}
