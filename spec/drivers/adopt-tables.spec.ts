import { fromDatabase, strapi5 } from '../../extensions/strapi'
import { ConfigError, contentRouter, type ContentRouterConfig, migrate, type TablesError } from '../../lib'
import { seed } from '../../extensions/seed'
import { runCommand } from '../../tools/command/run'
import { openDatabase } from '../../lib/database'
import { readTables } from '../../lib/tables/read-tables'
import { eachDatabase, type World } from '../support/databases'
import { collection, component, integer, picture, relation, text } from '../support/library'
import { projectFolder } from '../support/project-folder'

type Definitions = ContentRouterConfig['contentTypes']

const order = [collection('order', { total: integer })] as unknown as Definitions

const everyone = { permissions: { public: { find: '*' } } } as const

const tablesOf = async ({ knex }: World): Promise<unknown> => readTables(openDatabase(knex))

const namesOf = async (world: World): Promise<readonly string[]> =>
  [...(await readTables(openDatabase(world.knex))).keys()]
    .filter((name) => !name.startsWith('sqlite_'))
    .sort()

const refusedBy = async (work: Promise<unknown>): Promise<readonly string[]> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  return (error as TablesError).faults.map(({ where, remedy }) => `${where}: ${remedy ?? ''}`)
}

eachDatabase((database) => {
  describe('a table that another program created, with the name of a type', () => {
    const world = database.fresh()
    const { path, write } = projectFolder()
    const config = (): ContentRouterConfig => ({ contentTypes: order, database: world.config, logger: false })

    beforeAll(async () => {
      await world.knex.schema.createTable('orders', (table) => {
        table.increments('id')
        table.integer('total')
      })
      await world.knex('orders').insert({ total: 7 })
    })

    it('is refused by name, and nothing is changed, in a dry run either', async () => {
      const before = await tablesOf(world)
      const contentTypes = [...(order as readonly object[]), collection('shop', { name: text })] as never
      const refused = [expect.stringMatching(/^orders: .*--adopt orders/)]
      expect(await refusedBy(migrate({ ...config(), contentTypes }))).toEqual(refused)
      const dry = await migrate({ ...config(), contentTypes }, { dryRun: true })
      expect(dry.refused.map(({ where }) => where)).toEqual(['orders'])
      expect(await tablesOf(world)).toEqual(before)
    })

    it('is reported by check with the option that lets migrate extend it', async () => {
      write({
        'router.cjs': `module.exports = ${JSON.stringify({ contentTypes: order, database: world.config })}`,
      })
      const said: string[] = []
      const output = { print: () => undefined, complain: (line: string) => said.push(line) }
      expect(await runCommand(['check', '--config', `${path}/router.cjs`], output)).toBe(1)
      expect(said.join('\n')).toMatch(/orders\.document_id: the column is missing \(.* --adopt orders\. /)
    })

    it('is refused by the command, which says that nothing is changed', async () => {
      const flags = ['--config', `${path}/router.cjs`]
      for (const [words, says] of [
        [[], 'The command changed nothing'],
        [['--dry-run'], 'The command would change nothing'],
      ] as const) {
        const said: string[] = []
        const output = { print: () => undefined, complain: (line: string) => said.push(line) }
        expect(await runCommand(['migrate', ...flags, ...words], output)).toBe(1)
        expect(said.join('\n')).toMatch(new RegExp(`${says}[^]*orders: [^]*--adopt orders`))
      }
      const output = { print: () => undefined, complain: () => undefined }
      expect(await runCommand(['migrate', ...flags, '--adopt', 'orders'], output)).toBe(0)
    })

    it('is not adopted under a name that no definition has, and nothing is changed', async () => {
      const before = await tablesOf(world)
      const wider = [collection('order', { total: integer, note: text })] as unknown as Definitions
      const work = migrate({ ...config(), contentTypes: wider }, { adopt: ['order', 'orders,shops', 'nope'] })
      expect(await refusedBy(work)).toEqual([
        '--adopt order: did you mean orders?',
        '--adopt orders,shops: write --adopt separately for each table',
        '--adopt nope: use one of orders',
      ])
      expect(await tablesOf(world)).toEqual(before)
      const said: string[] = []
      const output = { print: () => undefined, complain: (line: string) => said.push(line) }
      const words = ['migrate', '--config', `${path}/router.cjs`, '--adopt', 'nope']
      expect(await runCommand(words, output)).toBe(1)
      expect(said.join('\n')).toContain('--adopt nope: no definition uses the table')
      expect(await world.knex('content_router_tables').pluck('name')).toEqual(['orders'])
    })

    it('is extended from then on, with its rows', async () => {
      expect((await migrate(config())).statements).toEqual([])
      const wider = [collection('order', { total: integer, note: text })] as unknown as Definitions
      write({
        'wider.cjs': `module.exports = ${JSON.stringify({ contentTypes: wider, database: world.config })}`,
      })
      const printed: string[] = []
      const output = { print: (line: string) => printed.push(line), complain: () => undefined }
      expect(await runCommand(['migrate', '--config', `${path}/wider.cjs`], output)).toBe(0)
      expect(printed).toEqual(['1 statement run.'])
      await world.knex.schema.alterTable('orders', (table) => table.dropColumn('note'))
      await expect(
        world.closing(contentRouter({ ...config(), ...everyone, contentTypes: wider })).ready(),
      ).rejects.toThrow(
        'orders.note: the column is missing (run content-router migrate with the config of the router)',
      )
      await migrate({ ...config(), contentTypes: wider })
      expect(await world.knex('orders').select('total', 'note')).toEqual([{ total: 7, note: null }])
    })
  })

  describe('a table that another program created as the definitions ask', () => {
    const world = database.fresh()

    it('needs no word, as it needs no change', async () => {
      const config = { contentTypes: order, database: world.config }
      const { statements } = await migrate(config, { dryRun: true })
      const made = statements.filter((statement) => !statement.includes('content_router_tables'))
      for (const statement of made) await world.knex.raw(statement)
      expect(await migrate(config)).toEqual({ statements: [], refused: [], unused: [] })
      const wider = [collection('order', { total: integer, note: text })] as unknown as Definitions
      const work = migrate({ ...config, contentTypes: wider })
      expect(await refusedBy(work)).toEqual([expect.stringContaining('--adopt orders')])
    })
  })

  describe('tables that follow from no definition', () => {
    const own = ['content_router_tables', 'orders']
    const files = [
      'files',
      'files_folder_lnk',
      'files_related_mph',
      'upload_folders',
      'upload_folders_parent_lnk',
    ]
    const locales = ['i18n_locale', 'strapi_core_store_settings']
    const users = ['up_permissions', 'up_permissions_role_lnk', 'up_roles', 'up_users', 'up_users_role_lnk']
    const user = 'plugin::users-permissions.user'
    const person = relation('manyToOne', user)
    const locale = 'plugin::i18n.locale'
    const strapiPermissions = { extensions: [strapi5()], permissions: fromDatabase() }

    const cases = [
      ['none', [collection('order', { total: integer })], own],
      ['a media attribute', [collection('order', { cover: picture })], [...own, ...files]],
      [
        'media of a component',
        [
          collection('order', { seo: { type: 'component', component: 'shared.seo' } }),
          component('shared.seo', { image: picture }),
        ],
        [...own, ...files, 'components_shared_seo', 'orders_cmps'],
      ],
      ['locales', [collection('order', { total: integer }, { localized: true })], [...own, ...locales]],
      ['a user', [collection('order', { by: person })], [...own, ...users, 'orders_by_lnk']],
      [
        'a private user',
        [collection('order', { by: { ...person, private: true } })],
        [...own, ...users, 'orders_by_lnk'],
      ],
    ] as const

    describe.each(cases)('with definitions that use %s', (_what, contentTypes, expected) => {
      const world = database.fresh()

      it('are made if a definition uses them, and serve', async () => {
        const config = { contentTypes: contentTypes as unknown as Definitions, database: world.config }
        await migrate(config)
        expect(await namesOf(world)).toEqual([...expected].sort())
        await seed(config, { order: [{}] })
        const router = world.closing(contentRouter({ ...config, ...everyone }))
        await router.ready()
        const { data } = await router.as('public').find('orders', { populate: '*' })
        expect(data).toHaveLength(1)
        expect((await migrate(config)).statements).toEqual([])
      })
    })

    const byOptions = [
      ['strapi5', { extensions: [strapi5()], ...everyone }, [...files, ...locales]],
      ['strapi5 and users', { extensions: [strapi5()], permissions: { public: { find: [user] } } }, users],
      [
        'strapi5 and locales',
        { extensions: [strapi5()], permissions: { public: { find: [locale] } } },
        locales,
      ],
      ['strapi5 before anything is granted', { extensions: [strapi5()] }, [...files, ...locales, ...users]],
      ['fromDatabase()', { permissions: fromDatabase() }, users],
      ['fromDatabase() and strapi5', strapiPermissions, [...files, ...locales, ...users]],
      ['a function', { extensions: [strapi5()], permissions: () => true }, [...files, ...locales, ...users]],
    ] as const

    describe.each(byOptions)('with the options %s', (_what, options, expected) => {
      const world = database.fresh()

      it('are made as the same options need them, and ready() finds them', async () => {
        const config = { ...options, contentTypes: order, database: world.config }
        await migrate(config)
        expect(await namesOf(world)).toEqual([...own, ...expected].sort())
        const { permissions = everyone.permissions } = config as Partial<ContentRouterConfig>
        const router = world.closing(contentRouter({ ...config, permissions, logger: false }))
        await router.ready()
        expect((await migrate(config)).statements).toEqual([])
      })
    })

    describe('with faults in the options', () => {
      const world = database.fresh()

      it('are not made', async () => {
        const config = { contentTypes: order, database: world.config }
        const wrong = [{ strapiRouts: true }, { permissions: { public: { find: ['odrer'] } } }]
        for (const options of wrong)
          await expect(migrate({ ...config, ...(options as object) })).rejects.toThrow(ConfigError)
        expect(await namesOf(world)).toEqual([])
      })
    })
  })
})
