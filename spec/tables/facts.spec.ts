import { openDatabase } from '../../lib/database'
import { migrate, readFacts } from '../../lib/tables'
import { eachDatabase } from '../support/databases'
import { recordingOf } from '../support/recordings'

const contentTypes = recordingOf('sqlite').contentTypes

eachDatabase((database) => {
  describe('the facts of an empty database', () => {
    const world = database.fresh()

    it('are that there are no tables and no default locale', async () => {
      expect(await readFacts(openDatabase(world.knex))).toEqual({
        tables: new Map(),
        shape: '[]',
        defaultLocale: null,
      })
    })
  })

  describe('the facts of a database that Strapi made', () => {
    const world = database.restored()

    it('hold the default locale of its settings, and components without a document id', async () => {
      const { tables, defaultLocale } = await readFacts(openDatabase(world.knex))
      expect(defaultLocale).toBe('en')
      expect([...(tables.get('components_shared_quotes') ?? [])]).not.toContain('document_id')
      expect([...(tables.get('articles') ?? [])]).toContain('big_views')
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
      expect([...(tables.get('components_shared_quotes') ?? [])].slice(0, 2)).toEqual(['id', 'document_id'])
      expect(defaultLocale).toBeNull()
    })
  })
})
