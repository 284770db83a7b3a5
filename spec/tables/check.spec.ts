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

  describe('an empty database', () => {
    const world = database.fresh()

    it('lacks every table of the definitions', async () => {
      const wanted = [...schema.models.values()].flatMap(({ table, physical }) => [
        table,
        ...physical.joinTables.map((join) => join.table),
      ])
      const error: unknown = await checkTables(openDatabase(world.knex), schema).catch(
        (reason: unknown) => reason,
      )
      expect((error as { faults: { where: string }[] }).faults.map(({ where }) => where).sort()).toEqual(
        wanted.sort(),
      )
      expect(String(error)).toContain('articles_tags_lnk: the table is missing (run content-router migrate)')
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
      await expect(checkTables(openDatabase(knex), alone, undefined, true)).rejects.toMatchObject({ faults })
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
