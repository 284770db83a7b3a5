import type { Knex } from 'knex'
import { openDatabase } from '../../lib/database'
import type { Definition } from '../../lib/schema'
import { contentRouter } from '../../lib'
import { migrate } from '../../lib/tables'
import { readTables } from '../../lib/tables/read-tables'
import { eachDatabase } from '../support/databases'
import { recordingOf } from '../support/recordings'
import { note } from './definitions'

const magazine = recordingOf('sqlite').contentTypes

async function tablesOf(knex: Knex) {
  return readTables(openDatabase(knex))
}

eachDatabase((database) => {
  describe('migrating the definitions of the magazine', () => {
    const world = database.fresh()

    it('says in a dry run what it would do, and does nothing', async () => {
      const { statements, refused } = await migrate(
        { contentTypes: magazine, database: world.config },
        { dryRun: true },
      )
      expect(statements.join('\n')).toMatch(/create table ["`]articles["`]/)
      expect(refused).toEqual([])
      expect([...(await tablesOf(world.knex)).keys()]).toEqual([])
    })

    it('runs the very statements of the dry run', async () => {
      const config = { contentTypes: magazine, database: world.config }
      const foretold = await migrate(config, { dryRun: true })
      expect((await migrate(config)).statements).toEqual(foretold.statements)
    })

    it('has nothing left to do the second time', async () => {
      expect(await migrate({ contentTypes: magazine, database: world.config })).toEqual({
        statements: [],
        refused: [],
        unused: [],
      })
    })

    it('made tables that hold what is written to them', async () => {
      await world.knex('tags').insert({ id: 1, document_id: 'a', name: 'Zażółć 🚀' })
      await world.knex('articles').insert({ id: 7, document_id: 'b', price: 12.5, extra: '{"a":1}' })
      await world.knex('articles_tags_lnk').insert({ article_id: 7, tag_id: 1, tag_ord: 1, article_ord: 1 })
      expect(await world.knex('tags').pluck('name')).toEqual(['Zażółć 🚀'])
      expect(await world.knex('articles_tags_lnk').pluck('tag_id')).toEqual([1])
    })

    it('keeps its notes out of the table that Knex migrations of the application use', async () => {
      expect(await world.knex.schema.hasTable('knex_migrations')).toBe(false)
      expect(await world.knex('content_router_migrations').orderBy('id').pluck('name')).toEqual([
        '20260101000000-media',
        '20260101000001-locales',
        '20260101000002-roles',
      ])
    })
  })

  describe('migrating a database that Strapi made', () => {
    const world = database.restored()

    it('is refused without a word for it, and changes nothing', async () => {
      const config = { contentTypes: magazine, database: world.config }
      const before = await tablesOf(world.knex)
      await expect(migrate(config)).rejects.toMatchObject({
        name: 'TablesError',
        faults: [{ where: 'database', remedy: expect.stringContaining('strapiDatabase: true') as unknown }],
      })
      expect(await tablesOf(world.knex)).toEqual(before)
      const { refused, statements } = await migrate(config, { dryRun: true })
      expect([refused.length, statements.length > 0]).toEqual([1, true])
    })

    it('adds indexes and nothing else', async () => {
      const config = { contentTypes: magazine, database: world.config }
      const { statements } = await migrate(config, { strapiDatabase: true })
      expect(statements.length).toBeGreaterThan(0)
      expect(statements.filter((statement) => !/^create index ["`]cr_/.test(statement))).toEqual([])
    })

    it('adds none of them twice', async () => {
      const { statements } = await migrate({ contentTypes: magazine, database: world.config })
      expect(statements).toEqual([])
    })
  })

  describe('a database that Strapi 4 made', () => {
    const world = database.fresh()
    const contentTypes = note({ title: { type: 'string' } })

    beforeAll(async () => {
      for (const [name, ...columns] of [
        ['strapi_database_schema', 'hash'],
        ['strapi_migrations', 'name'],
        ['strapi_core_store_settings', 'key', 'value'],
        ['files', 'name', 'url'],
        ['notes', 'title', 'locale'],
      ] as const)
        await world.knex.schema.createTable(name, (table) => {
          table.increments('id')
          for (const column of columns) table.string(column)
        })
    })

    it('is left alone, and ready() says in one sentence what it is', async () => {
      const says = {
        name: 'TablesError',
        faults: [
          {
            where: 'database',
            problem: expect.stringContaining('Strapi 4 keeps these tables') as unknown,
            remedy: expect.stringContaining('upgrade the project to Strapi 5 first') as unknown,
          },
        ],
      }
      const config = { contentTypes, database: world.config }
      const router = world.closing(contentRouter(config))
      await expect(router.ready()).rejects.toMatchObject(says)
      await expect(migrate(config)).rejects.toMatchObject(says)
      expect(await world.knex.schema.hasColumn('notes', 'document_id')).toBe(false)
    })
  })

  describe('a database of Strapi 5 that lacks what the definitions name', () => {
    const world = database.restored()

    it('is for Strapi to change, as ready() says', async () => {
      const router = world.closing(
        contentRouter({ contentTypes: note({ title: { type: 'string' } }), database: world.config }),
      )
      const remedy = expect.stringContaining('let Strapi start') as unknown
      await expect(router.ready()).rejects.toMatchObject({ faults: [{ where: 'notes', remedy }] })
    })
  })

  describe('definitions that change', () => {
    const world = database.fresh()
    const config = (attributes: Record<string, unknown>) => ({
      contentTypes: note(attributes),
      database: world.config,
    })
    const columns = async (table: string) => [
      ...((await tablesOf(world.knex)).get(table)?.columns.keys() ?? []),
    ]

    beforeAll(async () => {
      await migrate(config({ title: { type: 'string' }, size: { type: 'integer' } }))
      await world.knex('notes').insert({ id: 1, title: 'kept', size: 3 })
    })

    it('give an existing table the columns and links of new attributes', async () => {
      const self = { type: 'relation', relation: 'manyToMany', target: 'api::note.note' }
      const wider = {
        title: { type: 'string' },
        size: { type: 'integer' },
        extra: { type: 'json' },
        seeAlso: self,
      }
      const { statements } = await migrate(config(wider))
      expect(statements.some((statement) => statement.startsWith('alter table'))).toBe(true)
      expect(await columns('notes')).toContain('extra')
      expect(await columns('notes_see_also_lnk')).toEqual(['id', 'note_id', 'inv_note_id', 'note_ord'])
      expect(await world.knex('notes').select('title', 'size', 'extra')).toEqual([
        { title: 'kept', size: 3, extra: null },
      ])
    })

    it('leave alone what no attribute names any more, and say so', async () => {
      const { statements, unused } = await migrate(config({ title: { type: 'string' } }))
      expect(statements).toEqual([])
      expect(unused).toEqual(expect.arrayContaining(['notes.size', 'notes.extra']))
      expect(await columns('notes')).toEqual(expect.arrayContaining(['size', 'extra']))
    })

    it('are refused with the complete list where a column would change its type, before anything is added', async () => {
      const changed = config({
        title: { type: 'json' },
        size: { type: 'boolean' },
        added: { type: 'string' },
      })
      await expect(migrate(changed)).rejects.toMatchObject({
        name: 'TablesError',
        faults: [
          expect.objectContaining({ where: 'notes.title' }),
          expect.objectContaining({ where: 'notes.size' }),
        ],
      })
      expect(await columns('notes')).not.toContain('added')
    })

    it('list what is refused in a dry run as well', async () => {
      const { refused } = await migrate(config({ size: { type: 'biginteger' } }), { dryRun: true })
      expect(refused.map(({ where }) => where)).toEqual(['notes.size'])
    })

    it('may narrow a text: what is in it stays readable', async () => {
      await migrate(config({ body: { type: 'text' } }))
      const { refused } = await migrate(config({ body: { type: 'string' } }), { dryRun: true })
      expect(refused).toEqual([])
    })
  })

  describe('types that hold keys of each other', () => {
    const world = database.fresh()
    const key = (target: string) => ({ type: 'relation', relation: 'oneToOne', target, useJoinTable: false })
    const type = (name: string, attributes: Definition['attributes']): Definition => ({
      kind: 'collectionType',
      collectionName: `${name}s`,
      info: { singularName: name, pluralName: `${name}s`, displayName: name },
      attributes,
    })

    it('get both keys, whichever table is made first', async () => {
      const contentTypes = [type('left', { right: key('right') }), type('right', { left: key('left') })]
      await migrate({ contentTypes, database: world.config })
      await world.knex('lefts').insert({ id: 1 })
      await world.knex('rights').insert({ id: 1, left_id: 1 })
      await world.knex('lefts').update({ right_id: 1 })
      if (database.dialect === 'sqlite') await world.knex.raw('pragma foreign_keys = on')
      await world.knex('rights').delete()
      expect(await world.knex('lefts').pluck('right_id')).toEqual([null])
    })
  })

  describe('a type with a long name', () => {
    const world = database.fresh()
    const collectionName = 'warehouse_inventory_snapshot_records_for_reporting_use'
    const info = { singularName: 'record', pluralName: 'records', displayName: 'Record' }
    const attributes = {
      code: { type: 'uid' },
      aVeryLongAttributeNameThatGoesOnAndOn: { type: 'relation', relation: 'oneToMany', target: 'record' },
    }

    it('gets names that every database can hold, each its own', async () => {
      const contentTypes = [{ kind: 'collectionType', collectionName, info, attributes }]
      await migrate({ contentTypes, database: world.config })
      const tables = [...(await tablesOf(world.knex))].filter(([table]) => table.startsWith('warehouse'))
      const names = tables.flatMap(([table, { indexes }]) => [table, ...indexes.map(({ name }) => name)])
      const given = names.filter((name) => !/^sqlite_autoindex|^PRIMARY$|_pkey$/.test(name))
      expect(given.filter((name) => name.length > 55)).toEqual([])
      expect(new Set(given).size).toBe(given.length)
      expect((await migrate({ contentTypes, database: world.config })).statements).toEqual([])
    })
  })
})
