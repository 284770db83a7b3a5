import type { Knex } from 'knex'
import { contentRouter, type ContentRouterConfig, type Grant, migrate } from '../../lib'
import { eachDatabase, type World } from '../support/databases'
import { collection, component, repeated, text } from '../support/library'
import { attach, inStatements } from '../support/put-elsewhere'

const contentTypes = [
  component('page.note', { secret: text }),
  collection('ghost', { name: text, notes: repeated('page.note') }),
] as unknown as ContentRouterConfig['contentTypes']

const severalStates = 'an entry that a commit hides may be shown with what the same commit wrote into it'
const ruled: Grant = { find: { ghost: { where: { name: 'Wisp' } } } }

/** A table of which no transaction knows the state takes the place of one of a type's. */
interface Way {
  readonly by: string
  readonly tables: readonly string[]
  readonly put: (world: World) => Promise<Knex.Config>
}

/** Nothing is read from it, so that there does not have to be a server. */
const far = [
  'create extension if not exists postgres_fdw',
  'create server nowhere foreign data wrapper postgres_fdw',
]

const inParts = [
  'alter table components_page_note rename to held',
  'create table components_page_note (id integer, secret text) partition by list (id)',
  'create foreign table part partition of components_page_note default server nowhere',
]

const held = ['components_page_note']

const ways: Readonly<Record<'sqlite' | 'mysql' | 'postgres', readonly Way[]>> = {
  sqlite: [
    { by: 'a file that is attached', tables: held, put: attach('components_page_note') },
    {
      by: 'a virtual table',
      tables: held,
      put: inStatements(
        'drop table components_page_note',
        'create virtual table components_page_note using fts5(id, secret)',
      ),
    },
  ],
  mysql: ['MyISAM', 'MEMORY'].map((engine) => ({
    by: engine,
    tables: held,
    put: inStatements(
      `alter table components_page_note engine = ${engine}`,
      `create table beside (id integer) engine = ${engine}`,
    ),
  })),
  postgres: [
    {
      by: 'a view of a view of a foreign table',
      tables: held,
      put: inStatements(
        ...far,
        'drop table components_page_note',
        'create foreign table far (id integer, secret text) server nowhere',
        'create view nearer as select * from far',
        'create view components_page_note as select * from nearer',
      ),
    },
    { by: 'a part of a table', tables: held, put: inStatements(...far, ...inParts) },
  ],
}

eachDatabase((server) => {
  const warnedOf = async (
    database: Knex.Config,
    grant: Grant,
    consistency: 'snapshot' | 'relaxed' = 'snapshot',
  ): Promise<object[]> => {
    const warnings: object[] = []
    const silent = (): void => undefined
    const warn = (facts: object, message: string): void => {
      if (message === severalStates) warnings.push(facts)
    }
    const logger = { debug: silent, info: silent, error: silent, warn }
    const config = { contentTypes, database, permissions: { public: grant }, consistency, logger }
    const router = contentRouter(config)
    await router.ready()
    await router.close()
    return warnings
  }

  for (const { by, tables, put } of ways[server.dialect]) {
    describe(`a table that no transaction keeps in one state, by ${by}`, () => {
      const world = server.fresh()

      it('is warned of by ready() where there are rules, once and by its name', async () => {
        await migrate({ contentTypes, database: world.config })
        expect(await warnedOf(world.config, ruled)).toEqual([])
        const database = await put(world)
        const remedy = expect.any(String) as string
        expect(await warnedOf(database, ruled)).toEqual([{ roles: ['public'], tables, remedy }])
        expect(await warnedOf(database, { find: '*' })).toEqual([])
        // Of what is relaxed it is said without a look at the tables.
        expect(await warnedOf(database, ruled, 'relaxed')).toEqual([
          { roles: ['public'], remedy: `consistency: 'snapshot'` },
        ])
      })
    })
  }
})
