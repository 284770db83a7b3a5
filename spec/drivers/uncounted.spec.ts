import { knex as makeKnex, type Knex } from 'knex'
import { type Logger, migrate, seed } from '../../lib'
import { serveCached } from '../support/cached'
import { eachDatabase, type World } from '../support/databases'
import { collection, text } from '../support/library'
import { onOwnServer } from '../support/own-server'
import { attach, besides, inStatements, opening } from '../support/put-elsewhere'
import { saying } from '../support/saying'

const contentTypes = [collection('ghost', { name: text })] as never

/** One way in which content is where the database's counter does not look. */
interface Hidden {
  readonly by: string
  /** Hides what `ghosts` holds; then it is read by this. */
  readonly hide: (world: World) => Promise<Knex.Config>
  readonly write: (world: World, name: string) => Promise<void>
}

type Dialect = 'sqlite' | 'mysql' | 'postgres'
const to =
  (table: string) =>
  async ({ knex }: World, name: string): Promise<void> => {
    await knex(table).update({ name })
  }

async function writeBesides(world: World, name: string): Promise<void> {
  const knex = makeKnex({ ...world.config, connection: { filename: besides(world) } })
  await knex('ghosts').update({ name })
  await knex.destroy()
}

const asReader = ({ config }: World): Knex.Config => opening(config, saying('set role reader'))

const view = {
  hide: inStatements('alter table ghosts rename to held', 'create view ghosts as select * from held'),
}

const columns = 'id integer, document_id text, name text, created_at timestamp, updated_at timestamp'
const others = 'published_at timestamp, created_by_id integer, updated_by_id integer, locale text'
const here = `do $$ begin execute format($server$create server here foreign data wrapper postgres_fdw
  options (host '127.0.0.1', port '%s', dbname '%s')$server$, current_setting('port'), current_database());
  execute format('create user mapping for current_user server here options (user %L, password %L)',
  current_user, ':password'); end $$`

const ways: Readonly<Record<Dialect, readonly Hidden[]>> = {
  sqlite: [
    { by: 'a view', ...view, write: to('held') },
    { by: 'a file that is attached', hide: attach('ghosts'), write: writeBesides },
  ],
  mysql: [
    { by: 'a view', ...view, write: to('held') },
    {
      by: 'another engine',
      hide: inStatements(
        'alter table ghosts rename to held',
        'create table ghosts engine = MyISAM as select * from held',
      ),
      write: to('ghosts'),
    },
  ],
  postgres: [
    { by: 'a view', ...view, write: to('held') },
    {
      by: 'row security',
      hide: async (world) => {
        await inStatements(
          'create role reader',
          'grant select on all tables in schema public to reader',
          'alter table ghosts enable row level security',
          `create policy all_of_them on ghosts using (current_setting('role') = 'reader')`,
        )(world)
        return asReader(world)
      },
      write: to('ghosts'),
    },
    {
      by: 'a foreign partition of a partition',
      hide: async ({ knex, config }) => {
        const { password } = config.connection as { readonly password: string }
        await inStatements(
          'alter table ghosts rename to held',
          'create extension postgres_fdw',
          here.replace(':password', password),
          `create table ghosts (${columns}, ${others}) partition by list (locale)`,
          'create table ghosts_all partition of ghosts default partition by list (locale)',
          `create foreign table ghosts_far partition of ghosts_all default server here options (table_name 'held')`,
        )({ knex, config })
        return config
      },
      write: to('held'),
    },
  ],
}

/** A logger that keeps the facts of what it is warned of. */
function warned(): { readonly logger: Logger; readonly warnings: readonly object[] } {
  const warnings: object[] = []
  const silent = (): void => undefined
  const warn = (facts: object): number => warnings.push(facts)
  return { logger: { debug: silent, info: silent, error: silent, warn }, warnings }
}

eachDatabase((database) => {
  if (database.dialect === 'postgres') {
    // None of the servers whose commits are not all told runs here: this is what Aurora is known by.
    describe('a server that has what only Aurora has', () => {
      const world = onOwnServer(database, () => database.fresh())

      it('keeps and tags nothing, and says so once, at start', async () => {
        await migrate({ contentTypes, database: world.config })
        await seed({ contentTypes, database: world.config }, { ghost: [{ name: 'Wisp' }] })
        await world.knex.raw(`create function aurora_version() returns text return '15.4'`)
        const { logger, warnings } = warned()
        const { get, router } = await serveCached({ world, dialect: 'postgres' }, { contentTypes, logger })
        await router.ready()
        expect(warnings).toEqual([{ product: 'Aurora' }])
        for (let asked = 0; asked < 3; asked += 1)
          expect((await get('ghosts')).headers).not.toHaveProperty('etag')
        expect(router.cache.stats()).toMatchObject({ hits: 0, entries: 0 })
        expect(warnings).toHaveLength(1)
      })
    })
  }

  for (const { by, hide, write } of ways[database.dialect]) {
    describe(`content behind ${by}`, () => {
      const world = onOwnServer(database, () => database.fresh())

      it('is read anew by every request, and the log says which table is not counted', async () => {
        await migrate({ contentTypes, database: world.config })
        await seed({ contentTypes, database: world.config }, { ghost: [{ name: 'Wisp' }] })
        const config = await hide(world)
        const { logger, warnings } = warned()
        const { get, router } = await serveCached(
          { world, dialect: database.dialect },
          { contentTypes, logger, database: config },
        )
        for (const name of ['UK', 'France', 'Spain', 'Italy']) {
          await write(world, name)
          for (const time of ['first', 'second']) {
            const { body } = await get('ghosts?fields=name')
            const names = (JSON.parse(body) as { data: { name: string }[] }).data.map((ghost) => ghost.name)
            expect({ time, names }).toEqual({ time, names: [name] })
          }
        }
        const { hits, entries } = router.cache.stats()
        expect({ hits, entries }).toEqual({ hits: 0, entries: 0 })
        expect(warnings).toEqual([{ tables: ['ghosts'] }])
        await expect(router.ready()).resolves.toBeUndefined()
      })
    })
  }
})
