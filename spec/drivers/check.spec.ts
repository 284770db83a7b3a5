import {
  type ContentRouter,
  contentRouter,
  type ContentRouterConfig,
  type Fault,
  fromDatabase,
  strapiAuth,
  type TablesError,
} from '../../lib'
import { askedTables } from '../../lib/access'
import { openDatabase } from '../../lib/database'
import type { Logger } from '../../lib/config'
import { readSchema } from '../../lib/schema'
import { checkTables, migrate } from '../../lib/tables'
import { eachDatabase } from '../support/databases'
import { recordingOf } from '../support/recordings'
import { note } from './definitions'

const contentTypes = recordingOf('sqlite').contentTypes
const schema = readSchema(contentTypes)

function listening(): { readonly logger: Logger; readonly warnings: unknown[] } {
  const warnings: unknown[] = []
  const silent = (): void => undefined
  const warn = (facts: object): void => {
    warnings.push(facts)
  }
  return { logger: { debug: silent, info: silent, warn, error: silent }, warnings }
}

eachDatabase((database) => {
  describe('the tables of a database that Strapi made', () => {
    const world = database.restored()

    it('hold what the definitions ask for, with an index for every join table, and none for unique attributes', async () => {
      const { logger, warnings } = listening()
      await checkTables(openDatabase(world.knex), schema, logger)
      const [{ columns = [] } = {}, ...others] = warnings as { columns?: string[] }[]
      expect(others).toEqual([])
      // The uids of articles, categories and pages, and what is "unique" of the others.
      const uids = ['articles.slug', 'categories.slug', 'pages.path']
      expect([...columns].sort()).toEqual(['authors.email', 'countries.code', 'tags.name', ...uids].sort())
    })

    it('have one for each of them once migrate was told to make them', async () => {
      const { logger, warnings } = listening()
      await migrate({ contentTypes, database: world.config }, { strapiDatabase: true })
      await checkTables(openDatabase(world.knex), schema, logger)
      expect(warnings).toEqual([])
    })
  })

  describe('the tables of a database that migrate made', () => {
    const world = database.fresh()

    it('hold what the definitions ask for, with an index for every join table', async () => {
      await migrate({ contentTypes, database: world.config })
      const { logger, warnings } = listening()
      await checkTables(openDatabase(world.knex), schema, logger)
      expect(warnings).toEqual([])
    })

    it('are complained of all at once when some are gone', async () => {
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

  describe('a column that no attribute can be read from', () => {
    const world = database.fresh()
    const contentTypes = note({ text: { type: 'string' } })
    const types = {
      sqlite: ['BLOB'],
      mariadb: ['varbinary(40)', 'point', 'geometry'],
      mysql: ['varbinary(40)', 'point', 'geometry', 'vector(3)'],
      postgres: ['bytea', 'point', 'path'],
    }

    it.each(types[database.name])('is complained of by its type: %s', async (type) => {
      const { knex } = world
      await migrate({ contentTypes, database: world.config })
      await knex.schema.alterTable('notes', (table) => table.dropColumn('text'))
      await knex.schema.alterTable('notes', (table) => table.specificType('text', type))
      const [name] = type.split('(')
      await expect(checkTables(openDatabase(knex), readSchema(contentTypes))).rejects.toMatchObject({
        faults: [
          {
            where: 'notes.text',
            problem: expect.stringMatching(
              `cannot be read from a column of type .*${String(name)}`,
            ) as unknown,
          },
        ],
      })
      await knex.schema.dropTable('notes')
    })
  })

  if (database.name === 'postgres') {
    describe('a list of PostgreSQL', () => {
      const world = database.fresh()
      const contentTypes = note({
        text: { type: 'string' },
        tags: { type: 'json' },
        rank: { type: 'integer' },
      })

      it('is read as the text that it is written as, and as nothing else', async () => {
        const { knex } = world
        await migrate({ contentTypes, database: world.config })
        const lists = ['text text[]', 'tags text[]', 'rank integer[]']
        for (const list of lists) {
          const [name] = list.split(' ')
          await knex.raw(`alter table notes drop column ${String(name)}, add ${list}`)
        }
        const unread = (name: string, type: string): unknown =>
          expect.objectContaining({
            where: `notes.${name}`,
            problem: expect.stringContaining(`cannot be read from a column of type ${type}`) as unknown,
          })
        await expect(checkTables(openDatabase(knex), readSchema(contentTypes))).rejects.toMatchObject({
          faults: [unread('tags', 'text[]'), unread('rank', 'integer[]')],
        })
      })
    })
  }

  describe('an empty database', () => {
    const world = database.fresh()

    const faultsOf = async (): Promise<readonly Fault[]> => {
      const asked = askedTables({ permissions: fromDatabase() })
      const checked = checkTables(openDatabase(world.knex), schema, undefined, asked)
      const error: unknown = await checked.catch((reason: unknown) => reason)
      return (error as TablesError).faults
    }

    it('is told in one sentence that it has no table of the definitions, in place of a list of all', async () => {
      const own = [...schema.models.values()].filter(({ uid }) => !uid.startsWith('plugin::'))
      const count = own.reduce((sum, { physical }) => sum + 1 + physical.joinTables.length, 0)
      const [fault, ...more] = await faultsOf()
      expect(more).toEqual([])
      expect(fault?.where).toBe('database')
      expect(fault?.problem).toContain(`none of the ${String(count)} tables of the definitions is there`)
      expect(fault?.problem).toContain('no tables at all')
      expect(fault?.remedy).toMatch(/right database.*run content-router migrate/)
    })

    it('is told so too where it has tables of another application, and nothing of their names', async () => {
      await world.knex.schema.createTable('payrolls', (table) => table.increments('id'))
      const [fault, ...more] = await faultsOf()
      expect(more).toEqual([])
      expect(fault?.problem).toMatch(/none of the \d+ tables .*other table/)
      expect(JSON.stringify(fault)).not.toContain('payroll')
    })

    it('is told of a missing table by its name once another is there', async () => {
      await world.knex.schema.createTable('tags', (table) => table.increments('id'))
      const missing = { where: 'articles_tags_lnk', problem: 'the table is missing' }
      expect(await faultsOf()).toContainEqual({ ...missing, remedy: 'run content-router migrate' })
    })
  })

  describe('the tables that tell who may read what', () => {
    const world = database.fresh()
    const router = (options: Partial<ContentRouterConfig>): ContentRouter =>
      world.closing(
        contentRouter({
          contentTypes,
          database: world.config,
          logger: false,
          role: () => 'public',
          ...options,
        }),
      )
    const role = strapiAuth({ jwtSecret: 'secret', apiTokenSalt: 'salt' })
    const namesOf = async (options: Partial<ContentRouterConfig>): Promise<readonly string[]> => {
      const error: unknown = await router(options)
        .ready()
        .then(() => null)
        .catch((reason: unknown) => reason)
      return error === null ? [] : (error as TablesError).faults.map(({ where }) => where)
    }

    beforeAll(async () => {
      await migrate({ contentTypes, database: world.config })
    })

    it('are missed by ready() where nobody made those of permissions, with what to do', async () => {
      const permissions = fromDatabase()
      expect(await namesOf({ permissions })).toEqual([])
      await world.knex.schema.dropTable('up_permissions_role_lnk')
      await world.knex.schema.dropTable('up_permissions')
      const told = expect(router({ permissions }).ready()).rejects
      await told.toThrow(
        /up_permissions: the table that fromDatabase\(\) reads is missing \(run content-router migrate, or write/,
      )
      expect(await namesOf({ permissions })).toEqual(['up_permissions', 'up_permissions_role_lnk'])
    })

    it('are missed where tokens of Strapi say who asks', async () => {
      const permissions = { public: { find: '*' } } as const
      await expect(router({ role, permissions }).ready()).rejects.toThrow(
        /that strapiAuth\(\) reads is missing \(let Strapi 5 start on this database/,
      )
      expect(await namesOf({ role, permissions })).toEqual([
        'strapi_api_tokens',
        'strapi_api_token_permissions',
        'strapi_api_token_permissions_token_lnk',
      ])
    })

    it('may be missing where nobody asks them', async () => {
      const definitions = note({ title: { type: 'string' } })
      await migrate({ contentTypes: definitions, database: world.config })
      const alone = { contentTypes: definitions, permissions: { public: { find: '*' } } } as const
      for (const table of ['up_users_role_lnk', 'up_roles']) await world.knex.schema.dropTable(table)
      expect(await namesOf(alone)).toEqual([])
    })

    it('are named once where both ask them', async () => {
      const names = await namesOf({ role, permissions: fromDatabase() })
      expect(names.filter((name) => name === 'up_roles')).toEqual(['up_roles'])
      expect(names).toContain('up_users_role_lnk')
    })
  })

  describe('the tables in which Strapi keeps permissions', () => {
    const world = database.restored()

    it('are enough as Strapi made them, and missed by their columns', async () => {
      const ready = (): Promise<void> =>
        world
          .closing(
            contentRouter({
              contentTypes,
              database: world.config,
              logger: false,
              permissions: fromDatabase(),
              role: strapiAuth({ jwtSecret: 'secret', apiTokenSalt: 'salt' }),
            }),
          )
          .ready()
      await expect(ready()).resolves.toBeUndefined()
      await world.knex.schema.alterTable('up_permissions', (table) => table.dropColumn('action'))
      await expect(ready()).rejects.toThrow(
        'up_permissions.action: the column that fromDatabase() reads is missing',
      )
    })
  })

  describe('tables of users that nothing leads to', () => {
    const world = database.restored()

    it('may be as they like, unless it is asked who they are', async () => {
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
      const asked = askedTables({ role: strapiAuth({ jwtSecret: 'secret', apiTokenSalt: 'salt' }) })
      await expect(checkTables(openDatabase(knex), alone, undefined, asked)).rejects.toMatchObject({ faults })
      await expect(checkTables(openDatabase(knex), schema)).rejects.toMatchObject({ faults })
    })
  })

  describe('tables made by hand', () => {
    const world = database.fresh()
    const peers = { type: 'relation', relation: 'manyToMany', target: 'api::note.note' }
    const definitions = note({ title: { type: 'string' }, seen: { type: 'datetime' }, peers })

    beforeAll(async () => {
      await migrate({ contentTypes: definitions, database: world.config })
    })

    it('are warned of where no index begins with the column by which a join table is read', async () => {
      const { knex } = world
      await knex.schema.dropTable('notes_peers_lnk')
      await knex.schema.createTable('notes_peers_lnk', (table) => {
        table.increments('id')
        table.integer('note_id')
        table.integer('inv_note_id')
        table.double('note_ord')
        table.index(['inv_note_id', 'note_id'])
      })
      const { logger, warnings } = listening()
      await checkTables(openDatabase(knex), readSchema(definitions), logger)
      expect(warnings).toEqual([{ table: 'notes_peers_lnk', column: 'note_id' }])
    })

    it('are warned of where no index begins with a unique attribute by which entries are asked for', async () => {
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
      const warned = async (): Promise<unknown[]> => {
        const { logger, warnings } = listening()
        await checkTables(openDatabase(knex), readSchema(read), logger)
        return warnings
      }
      expect(await warned()).toEqual([])
      const names = ['slug', 'code', 'mail', 'number', 'big']
      for (const name of names)
        await knex.schema.alterTable('marks', (table) => table.dropIndex([], `cr_marks_${name}`))
      expect(await warned()).toEqual([{ columns: names.map((name) => `marks.${name}`) }])
      const { statements } = await migrate({ contentTypes: read, database: world.config })
      expect(statements).toHaveLength(names.length)
      expect(await warned()).toEqual([])
    })

    it('are refused where a column holds what cannot be read as the attribute', async () => {
      const { knex } = world
      const changed = readSchema(note({ title: { type: 'boolean' }, seen: { type: 'integer' }, peers }))
      await expect(checkTables(openDatabase(knex), changed)).rejects.toMatchObject({
        faults: [
          expect.objectContaining({ where: 'notes.title' }),
          expect.objectContaining({ where: 'notes.seen' }),
        ],
      })
    })
  })
})
