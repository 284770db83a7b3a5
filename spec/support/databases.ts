import { knex as makeKnex, type Knex } from 'knex'
import { missingTool, type Need } from './needs'
import { recordingOf } from './recordings'
import { serverOfAnotherTurn } from './server-turn'
import { databaseNames, type DatabaseName } from './servers'
import { stores, type Store } from './stores'

type Dialect = 'sqlite' | 'mysql' | 'postgres'

interface Closable {
  close(): Promise<void>
}

/** A database of one `describe` block's own: made before its tests, dropped after them. For use inside tests and hooks. */
export interface World {
  /** For `contentRouter({ database: world.config })` and the like; plain data. */
  readonly config: Knex.Config
  /** A connection for the spec itself, closed for it. */
  readonly knex: Knex
  /** Closes a router, or whatever can be closed, before the database is dropped. */
  closing<T extends Closable>(thing: T): T
}

export interface TestDatabase {
  readonly name: DatabaseName
  readonly dialect: Dialect
  /** An empty database. Called in a `describe` block. */
  fresh(): World
  /** The database that Strapi 5 wrote when its answers were recorded. Called in a `describe` block. */
  restored(): World
  /** An empty database as `fresh` makes it, but now, and dropped by whoever asked. Called in a test. */
  create(): Promise<{ readonly config: Knex.Config; drop(): Promise<void> }>
  /** Fills an empty database from a gzipped dump of its kind, with the database's own client program. */
  restore(config: Knex.Config, dumpFile: string): Promise<void>
}

const dialects: Readonly<Record<DatabaseName, Dialect>> = {
  sqlite: 'sqlite',
  mariadb: 'mysql',
  mysql: 'mysql',
  postgres: 'postgres',
}

function prepareWorld(store: Store, fill: (config: Knex.Config) => Promise<void>): World {
  let config: Knex.Config | undefined
  let connection: Knex | undefined
  const closables: Closable[] = []
  function opened(): Knex.Config {
    if (config === undefined) throw new Error('a world exists in tests and hooks only')
    return config
  }
  beforeAll(async () => {
    config = await store.create()
    await fill(config)
  }, 120_000)
  afterAll(async () => {
    await Promise.all(closables.map((thing) => thing.close()))
    await connection?.destroy()
    if (config) await store.drop(config)
  })
  return {
    get config() {
      return opened()
    },
    get knex() {
      connection ??= makeKnex(opened())
      return connection
    },
    closing: (thing) => {
      closables.push(thing)
      return thing
    },
  }
}

export function testDatabase(name: DatabaseName): TestDatabase {
  const store = stores[name]
  return {
    name,
    dialect: dialects[name],
    fresh: () => prepareWorld(store, () => Promise.resolve()),
    restored: () => prepareWorld(store, (config) => store.restore(config, recordingOf(name).dump)),
    create: async () => {
      const config = await store.create()
      return { config, drop: () => store.drop(config) }
    },
    restore: (config, dumpFile) => store.restore(config, dumpFile),
  }
}

const running = (process.env['RUNNING_DATABASES'] ?? '').split(',')

const isRunning = (name: DatabaseName): boolean => running.includes(name)

const { testPath = '' } = expect.getState()
const leftOut = serverOfAnotherTurn(testPath)

/** Every database that this test run has for this spec file. */
export const testDatabases: readonly TestDatabase[] = databaseNames
  .filter((name) => isRunning(name) && name !== leftOut)
  .map(testDatabase)

/**
 * For behaviour of these databases alone. Those that this run does not have, and those that lack a tool, are listed as
 * skipped, with the reason. With CI=true a missing tool fails.
 */
export function describeOn<Name extends DatabaseName>(
  names: readonly Name[],
  needs: readonly Need[] = [],
): (title: string, body: (name: Name) => void) => void {
  return (title, body) => {
    for (const name of names) {
      const lacks = isRunning(name) ? missingTool(name, needs) : `${name} is not part of this run`
      if (lacks === undefined) describe.each([name])(title, body)
      else if (isRunning(name) && process.env['CI'] === 'true') describe.each([name])(title, failFor(lacks))
      else describe.skip.each([name])(`${title} (${lacks})`, body)
    }
  }
}

const failFor = (lacks: string) => (): void => {
  it('has the tools that it needs', () => {
    throw new Error(`with CI=true every tool must be there: ${lacks}`)
  })
}

/** Specs whose subject is the same on every database. The corpus checks that the others agree. */
export function onSqlite(body: (database: TestDatabase) => void): void {
  body(testDatabase('sqlite'))
}

/** The same specs on every database of this run: for drivers and servers. */
export function eachDatabase(body: (database: TestDatabase) => void): void {
  describe.each(testDatabases)('on $name', body)
}
