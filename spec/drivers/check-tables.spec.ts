import type { Knex } from 'knex'
import { fromDatabase, strapiAuth } from '../../extensions/strapi'
import { contentRouter, type ContentRouterConfig, type Fault, type TablesError } from '../../lib'
import { requestNeeds } from '../../lib/access'
import { fillOptions, type Logger } from '../../lib/config'
import { openDatabase } from '../../lib/database'
import { migrate } from '../../lib/http'
import { readSchema } from '../../lib/schema'
import { checkTables, readDefaultLocale, readFacts } from '../../lib/tables'
import { eachDatabase, type World } from '../support/databases'
import { recordingOf } from '../support/recordings'
import { note } from './definitions'

const contentTypes = recordingOf('sqlite').contentTypes
const schema = readSchema(contentTypes)
const role = strapiAuth({ jwtSecret: 'secret', apiTokenSalt: 'salt' })

const silent = (): void => undefined

function keepingFacts(): { readonly logger: Logger; readonly warnings: unknown[] } {
  const warnings: unknown[] = []
  const warn = (facts: object): void => {
    warnings.push(facts)
  }
  return { logger: { debug: silent, info: silent, warn, error: silent }, warnings }
}

/** The warnings of a check that finds no fault. */
async function warningsOf(knex: Knex, checked = schema): Promise<unknown[]> {
  const { logger, warnings } = keepingFacts()
  await checkTables(openDatabase(knex), checked, logger)
  return warnings
}

async function readyFaults(world: World, options: Partial<ContentRouterConfig>): Promise<readonly Fault[]> {
  const shared = { contentTypes, database: world.config, logger: false, role: () => 'public' } as const
  const error: unknown = await world
    .closing(contentRouter({ ...shared, ...options }))
    .ready()
    .then(() => null)
    .catch((reason: unknown) => reason)
  return error === null ? [] : (error as TablesError).faults
}

const placesOf = (faults: readonly Fault[]): readonly string[] => faults.map(({ where }) => where)

eachDatabase((database) => {
  describe('an empty database', () => {
    const world = database.fresh()
    const facts = () => readFacts(openDatabase(world.knex))

    const faultsOf = async (): Promise<readonly Fault[]> => {
      const needs = requestNeeds(fillOptions({ permissions: fromDatabase() }), schema, [])
      const checked = checkTables(openDatabase(world.knex), schema, undefined, needs)
      const error: unknown = await checked.catch((reason: unknown) => reason)
      return (error as TablesError).faults
    }

    it('has neither tables nor a default locale', async () => {
      const { tables, defaultLocale } = await facts()
      expect([[...tables], defaultLocale]).toEqual([[], null])
    })

    it('is reported in one sentence, without a list of missing tables', async () => {
      const own = [...schema.models.values()].filter(({ uid }) => !uid.startsWith('plugin::'))
      const count = own.reduce((sum, { physical }) => sum + 1 + physical.joinTables.length, 0)
      const [fault, ...more] = await faultsOf()
      expect(more).toEqual([])
      expect(fault?.where).toBe('database')
      expect(fault?.problem).toContain(`none of the ${String(count)} tables of the definitions exists`)
      expect(fault?.problem).toContain('the database has no tables')
      expect(fault?.remedy).toMatch(/check the database.*run content-router migrate/)
    })

    it('is reported the same way with tables of another application, without their names', async () => {
      await world.knex.schema.createTable('payrolls', (table) => table.increments('id'))
      const [fault, ...more] = await faultsOf()
      expect(more).toEqual([])
      expect(fault?.problem).toMatch(/none of the \d+ tables .*other table/)
      expect(JSON.stringify(fault)).not.toContain('payroll')
    })

    it('gets a list of missing tables once one of the definitions is there', async () => {
      await world.knex.schema.createTable('tags', (table) => table.increments('id'))
      const missing = { where: 'articles_tags_lnk', problem: 'the table is missing' }
      expect(await faultsOf()).toContainEqual({
        ...missing,
        remedy: 'run content-router migrate with the config of the router',
      })
    })

    it('has another shape with each new table and column', async () => {
      const shapes = [(await facts()).shape, (await facts()).shape]
      await world.knex.schema.createTable('things', (table) => table.increments('id'))
      shapes.push((await facts()).shape)
      await world.knex.schema.alterTable('things', (table) => table.string('name'))
      shapes.push((await facts()).shape)
      expect(shapes[1]).toBe(shapes[0])
      expect(new Set(shapes).size).toBe(3)
    })
  })

  describe('a database that Strapi created', () => {
    const world = database.restored()
    const granted = { permissions: fromDatabase(), role } as const

    it('has the default locale of its settings, and components without a document id', async () => {
      const database = openDatabase(world.knex)
      const { tables } = await readFacts(database)
      expect(await readDefaultLocale(database, tables)).toBe('en')
      expect([...(tables.get('components_shared_quotes')?.keys() ?? [])]).not.toContain('document_id')
      expect([...(tables.get('articles')?.keys() ?? [])]).toContain('big_views')
    })

    it('has all tables and indexes of join tables, but no index for unique attributes until migrate', async () => {
      const [{ columns = [] } = {}, ...others] = (await warningsOf(world.knex)) as { columns?: string[] }[]
      expect(others).toEqual([])
      // The uids of articles, categories and pages, and the unique attributes of the others.
      const uids = ['articles.slug', 'categories.slug', 'pages.path']
      expect([...columns].sort()).toEqual(['authors.email', 'countries.code', 'tags.name', ...uids].sort())
      await migrate({ contentTypes, database: world.config }, { strapiDatabase: true })
      expect(await warningsOf(world.knex)).toEqual([])
    })

    it('has the tables and columns of permissions', async () => {
      expect(await readyFaults(world, granted)).toEqual([])
      await world.knex.schema.alterTable('up_permissions', (table) => table.dropColumn('action'))
      const [fault] = await readyFaults(world, granted)
      expect([fault?.where, fault?.problem]).toEqual([
        'up_permissions.action',
        'the column that fromDatabase() reads is missing',
      ])
    })

    it('has no default locale if the setting is no JSON', async () => {
      const settings = world.knex('strapi_core_store_settings').where({ key: 'plugin_i18n_default_locale' })
      await settings.update({ value: '{' })
      const database = openDatabase(world.knex)
      const { tables } = await readFacts(database)
      expect(await readDefaultLocale(database, tables)).toBeNull()
    })

    it('may have any table of users, unless a relation reads it', async () => {
      const { knex } = world
      await knex.schema.alterTable('up_users', (table) => {
        table.dropColumn('provider')
      })
      const alone = readSchema(note({ title: { type: 'string' } }))
      await knex.schema.createTable('notes', (table) => {
        table.increments('id')
        for (const name of ['document_id', 'title', 'locale']) table.string(name)
        for (const name of ['created_at', 'updated_at', 'published_at'])
          table.dateTime(name, { useTz: false })
        for (const name of ['created_by_id', 'updated_by_id']) table.integer(name)
      })
      await expect(checkTables(openDatabase(knex), alone)).resolves.toBeUndefined()
      const faults = [expect.objectContaining({ where: 'up_users.provider' })] as unknown
      const needs = requestNeeds(fillOptions({ role }), alone, [])
      await expect(checkTables(openDatabase(knex), alone, undefined, needs)).resolves.toBeUndefined()
      await expect(checkTables(openDatabase(knex), schema)).rejects.toMatchObject({ faults })
    })
  })

  describe('a database that migrate created', () => {
    const world = database.fresh()
    const permissions = fromDatabase()

    beforeAll(async () => {
      await migrate({ contentTypes, database: world.config })
    })

    it('has all tables and indexes, components with a document id, and no default locale yet', async () => {
      expect(await warningsOf(world.knex)).toEqual([])
      const database = openDatabase(world.knex)
      const { tables } = await readFacts(database)
      expect([...(tables.get('components_shared_quotes')?.keys() ?? [])].slice(0, 2)).toEqual([
        'id',
        'document_id',
      ])
      expect(await readDefaultLocale(database, tables)).toBeNull()
    })

    it('lacks the tables of fromDatabase() if nobody created them, and ready() says what to do', async () => {
      expect(await readyFaults(world, { permissions })).toEqual([])
      await world.knex.schema.dropTable('up_permissions_role_lnk')
      await world.knex.schema.dropTable('up_permissions')
      const faults = await readyFaults(world, { permissions })
      expect(placesOf(faults)).toEqual(['up_permissions', 'up_permissions_role_lnk'])
      expect(faults[0]?.problem).toBe('the table that fromDatabase() reads is missing')
      expect(faults[0]?.remedy).toMatch(/^run content-router migrate with the config of the router, or write/)
    })

    it('lacks the tables of strapiAuth(), which Strapi creates', async () => {
      const faults = await readyFaults(world, { role, permissions: { public: { find: '*' } } })
      expect(placesOf(faults)).toEqual([
        'strapi_api_tokens',
        'strapi_api_token_permissions',
        'strapi_api_token_permissions_token_lnk',
      ])
      expect(faults[0]?.problem).toBe('the table that strapiAuth() reads is missing')
      expect(faults[0]?.remedy).toMatch(/^start Strapi 5 once on this database/)
    })

    it('needs no table of roles if the permissions are a list', async () => {
      const definitions = note({ title: { type: 'string' } })
      await migrate({ contentTypes: definitions, database: world.config })
      for (const table of ['up_users_role_lnk', 'up_roles']) await world.knex.schema.dropTable(table)
      const alone = { contentTypes: definitions, permissions: { public: { find: '*' } } } as const
      expect(await readyFaults(world, alone)).toEqual([])
    })

    it('is reported once for a table that permissions and roles both read', async () => {
      const places = placesOf(await readyFaults(world, { role, permissions }))
      expect(places.filter((name) => name === 'up_roles')).toEqual(['up_roles'])
      expect(places).toContain('up_users_role_lnk')
    })

    it('is reported with all missing tables and columns at once', async () => {
      const { knex } = world
      await knex.schema.dropTable('articles_tags_lnk')
      await knex.schema.alterTable('pages', (table) => table.dropColumn('title'))
      await knex.schema.alterTable('pages_cmps', (table) => table.dropColumn('order'))
      await expect(checkTables(openDatabase(knex), schema)).rejects.toMatchObject({
        name: 'TablesError',
        faults: expect.arrayContaining([
          expect.objectContaining({ where: 'articles_tags_lnk', problem: 'the table is missing' }),
          expect.objectContaining({ where: 'pages.title', problem: 'the column is missing' }),
          expect.objectContaining({ where: 'pages_cmps.order', problem: 'the column is missing' }),
        ]) as unknown,
      })
    })
  })

  describe('tables that an application created', () => {
    const world = database.fresh()
    const peers = { type: 'relation', relation: 'manyToMany', target: 'api::note.note' }
    const definitions = note({ title: { type: 'string' }, seen: { type: 'datetime' }, peers })

    beforeAll(async () => {
      await migrate({ contentTypes: definitions, database: world.config })
    })

    it('cause a warning if no index begins with the column by which a join table is read', async () => {
      const { knex } = world
      await knex.schema.dropTable('notes_peers_lnk')
      await knex.schema.createTable('notes_peers_lnk', (table) => {
        table.increments('id')
        table.integer('note_id')
        table.integer('inv_note_id')
        table.double('note_ord')
        table.index(['inv_note_id', 'note_id'])
      })
      expect(await warningsOf(knex, readSchema(definitions))).toEqual([
        expect.objectContaining({ table: 'notes_peers_lnk', column: 'note_id' }),
      ])
    })

    it('cause a warning if no index begins with a unique attribute, until migrate adds it', async () => {
      const { knex } = world
      const unique = { unique: true }
      const attributes = {
        ...{ slug: { type: 'uid' }, code: { type: 'string', ...unique }, mail: { type: 'email', ...unique } },
        ...{ number: { type: 'integer', ...unique }, big: { type: 'biginteger', ...unique } },
        ...{ hidden: { type: 'uid', private: true }, text: { type: 'text', ...unique } },
        ...{ free: { type: 'string', unique: false } },
      }
      const [made] = note(attributes)
      const read = [{ ...made, collectionName: 'marks' }] as unknown as typeof definitions
      await migrate({ contentTypes: read, database: world.config })
      const warnings = (): Promise<unknown[]> => warningsOf(knex, readSchema(read))
      expect(await warnings()).toEqual([])
      const names = ['slug', 'code', 'mail', 'number', 'big']
      for (const name of names)
        await knex.schema.alterTable('marks', (table) => table.dropIndex([], `cr_marks_${name}`))
      expect(await warnings()).toEqual([{ columns: names.map((name) => `marks.${name}`) }])
      const { statements } = await migrate({ contentTypes: read, database: world.config })
      expect(statements).toHaveLength(names.length)
      expect(await warnings()).toEqual([])
    })

    it('are refused if a column has the type of another attribute', async () => {
      const changed = readSchema(note({ title: { type: 'boolean' }, seen: { type: 'integer' }, peers }))
      await expect(checkTables(openDatabase(world.knex), changed)).rejects.toMatchObject({
        faults: [
          expect.objectContaining({ where: 'notes.title' }),
          expect.objectContaining({ where: 'notes.seen' }),
        ],
      })
    })
  })
})
