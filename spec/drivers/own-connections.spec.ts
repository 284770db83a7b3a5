import type { ContentRouterConfig } from '../../lib'
import { eachDatabase, type TestDatabase } from '../support/databases'
import { collection, text } from '../support/library'
import { type AfterCreate, saying } from '../support/saying'
import { stocked } from '../support/served'

interface FileSession {
  pragma(text: string): unknown
}

interface Setting {
  /** As it is on the connection on which it is asked for. */
  readonly shown: string
  readonly wanted: string
  /** What the owner's pool says otherwise. */
  readonly afterCreate: AfterCreate
}

interface OfServer {
  readonly schema: string
  readonly isolation: string
  readonly sortBuffer: string
  /** By which it finds something else. */
  readonly part: string
}

/** What MySQL sorts in is made large; MariaDB sorts by as much as it has room for, but fails where that is little. */
const onMysql = ({ schema, isolation, sortBuffer, part }: OfServer): Setting => ({
  shown: `select group_concat(
      if(variable_name = 'optimizer_switch', variable_value like '%${part}=off%', variable_value)
      order by lower(variable_name) separator ' ') from ${schema}.session_variables
    where variable_name in
      ('autocommit', 'character_set_results', 'max_sort_length', 'optimizer_switch', 'sort_buffer_size', '${isolation}')`,
  wanted: `ON utf8mb4 1024 1 ${sortBuffer} REPEATABLE-READ`,
  afterCreate: saying(
    `set session autocommit = 0, session character_set_results = latin1, session max_sort_length = 64,
      session optimizer_switch = '${part}=on', session sort_buffer_size = 32768, session ${isolation} = 'READ-COMMITTED'`,
  ),
})

const settings: Readonly<Record<TestDatabase['name'], Setting>> = {
  sqlite: {
    shown: 'select cast(timeout as text) from pragma_busy_timeout',
    wanted: '0',
    afterCreate: (connection, done) => {
      ;(connection as FileSession).pragma('busy_timeout = 5000')
      done(null, connection)
    },
  },
  mariadb: onMysql({
    schema: 'information_schema',
    isolation: 'tx_isolation',
    sortBuffer: '262144',
    part: 'mrr',
  }),
  mysql: onMysql({
    schema: 'performance_schema',
    isolation: 'transaction_isolation',
    sortBuffer: '8388608',
    part: 'subquery_to_derived',
  }),
  postgres: {
    shown: `select concat_ws(' ', current_setting('jit'), current_setting('datestyle'), current_setting('extra_float_digits'),
      current_setting('client_encoding'))`,
    wanted: 'off ISO, MDY 3 UTF8',
    afterCreate: saying(
      `set jit = on; set datestyle = 'German, YMD'; set extra_float_digits = -15; set client_encoding = 'latin1'`,
    ),
  },
}

const types = [collection('setting', { name: text })] as unknown as ContentRouterConfig['contentTypes']

eachDatabase((database) => {
  const { world, serve } = stocked(database, types, {})
  const { shown, wanted, afterCreate } = settings[database.name]

  /** The table gives way to a view, which is read on the connection that an answer is read on. */
  beforeAll(async () => {
    await world.knex.schema.dropTable('settings')
    await world.knex.raw(
      `create view settings as select 1 as id, 'a' as document_id, (${shown}) as name,
        null as created_at, null as updated_at, null as published_at`,
    )
  })

  it('reads on connections that are set as answers need it, whatever their owner says', async () => {
    const { values } = serve({ database: { ...world.config, pool: { afterCreate } } })
    expect(await values('settings?fields=name', 'name')).toEqual([wanted])
  })
})
