import { openDatabase } from '../../lib/database'
import { migrate, readFacts } from '../../lib/tables'
import { eachDatabase } from '../support/databases'
import { recordingOf } from '../support/recordings'

const contentTypes = recordingOf('sqlite').contentTypes

eachDatabase((database) => {
  describe('the facts of an empty database', () => {
    const world = database.fresh()

    it('are that there are no tables and no default locale', async () => {
      const { tables, defaultLocale } = await readFacts(openDatabase(world.knex))
      expect([...tables]).toEqual([])
      expect(defaultLocale).toBeNull()
    })

    it('have a shape that is another once there is a table or a column more', async () => {
      const shape = async (): Promise<string> => (await readFacts(openDatabase(world.knex))).shape
      const shapes = [await shape(), await shape()]
      await world.knex.schema.createTable('things', (table) => table.increments('id'))
      shapes.push(await shape())
      await world.knex.schema.alterTable('things', (table) => table.string('name'))
      shapes.push(await shape())
      expect(shapes[1]).toBe(shapes[0])
      expect(new Set(shapes).size).toBe(3)
    })
  })

  describe('the facts of a database that Strapi made', () => {
    const world = database.restored()

    it('hold the default locale of its settings, and components without a document id', async () => {
      const { tables, defaultLocale } = await readFacts(openDatabase(world.knex))
      expect(defaultLocale).toBe('en')
      expect([...(tables.get('components_shared_quotes')?.keys() ?? [])]).not.toContain('document_id')
      expect([...(tables.get('articles')?.keys() ?? [])]).toContain('big_views')
    })

    it('do without a default locale that is no text', async () => {
      const settings = world.knex('strapi_core_store_settings').where({ key: 'plugin_i18n_default_locale' })
      await settings.update({ value: '{' })
      expect((await readFacts(openDatabase(world.knex))).defaultLocale).toBeNull()
    })
  })

  describe('the facts of a database that migrate made', () => {
    const world = database.fresh()

    it('are components with a document id, and settings that hold no locale yet', async () => {
      await migrate({ contentTypes, database: world.config })
      const { tables, defaultLocale } = await readFacts(openDatabase(world.knex))
      expect([...(tables.get('components_shared_quotes')?.keys() ?? [])].slice(0, 2)).toEqual([
        'id',
        'document_id',
      ])
      expect(defaultLocale).toBeNull()
    })
  })
})
