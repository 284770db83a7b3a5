import type { Knex } from 'knex'
import { contentRouter } from '../../lib'
import { runCommand } from '../../tools/command/run'
import { openDatabase, type DialectName } from '../../lib/database'
import type { Definition } from '../../lib/schema'
import { migrate } from '../../lib/http'
import { type ActualTables, readTables } from '../../lib/tables/read-tables'
import { eachDatabase } from '../support/databases'
import { recordingOf } from '../support/recordings'
import { note } from './definitions'

const magazine = recordingOf('sqlite').contentTypes

const tablesOf = (knex: Knex): Promise<ActualTables> => readTables(openDatabase(knex))

const settings = 'strapi_core_store_settings'

/** Tables of the administration, which this package never reads. */
const belongsToStrapi = (table: string): boolean => /^(admin|strapi)_/.test(table) && table !== settings

const ownNotes = ['content_router_tables', 'sqlite_sequence']

async function comparedTables(knex: Knex): Promise<ActualTables> {
  const isCompared = ([table]: readonly [string, unknown]): boolean =>
    !ownNotes.includes(table) && !belongsToStrapi(table)
  return new Map([...(await tablesOf(knex))].filter(isCompared))
}

const indexTexts = (tables: ActualTables): string[] =>
  [...tables].flatMap(([table, { indexes }]) =>
    indexes.map(({ name, columns }) => `${table}: ${name} (${columns.join(', ')})`),
  )

const foreignKeyStatements: Readonly<Record<DialectName, string>> = {
  // SQLite gives foreign keys no names, and lists those that Strapi declares twice twice.
  sqlite: `select distinct m.name as "table", k."from" as "column", k."table" as target, k.on_delete as rule
    from sqlite_master m join pragma_foreign_key_list(m.name) k where m.type = 'table'`,
  mysql: `select k.constraint_name as name, k.table_name as \`table\`, k.column_name as \`column\`,
      k.referenced_table_name as target, r.delete_rule as rule
    from information_schema.key_column_usage k join information_schema.referential_constraints r
      on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name
    where k.table_schema = database() and k.referenced_table_name is not null`,
  postgres: `select k.conname as name, k.conrelid::regclass::text as "table", a.attname as "column",
      k.confrelid::regclass::text as target, k.confdeltype::text as rule
    from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'f'`,
}

interface ForeignKeyRow {
  readonly table: string
  readonly target: string
}

async function foreignKeys(knex: Knex, dialect: DialectName): Promise<readonly string[]> {
  const answer: unknown = await knex.raw(foreignKeyStatements[dialect])
  const rows = {
    sqlite: () => answer,
    mysql: () => (answer as unknown[])[0],
    postgres: () => (answer as { rows: unknown }).rows,
  }
  return (rows[dialect]() as ForeignKeyRow[])
    .filter(({ table, target }) => !belongsToStrapi(table) && !belongsToStrapi(target))
    .map((row) => JSON.stringify(row))
    .sort()
}

interface Ran {
  readonly code: number
  readonly printed: string
  readonly complained: string
}

async function run(...words: readonly string[]): Promise<Ran> {
  const [printed, complained]: [string[], string[]] = [[], []]
  const code = await runCommand(words, {
    print: (text) => printed.push(text),
    complain: (text) => complained.push(text),
  })
  return { code, printed: printed.join('\n'), complained: complained.join('\n') }
}

const schemes: Readonly<Record<string, string>> = { mysql2: 'mysql', pg: 'postgres' }

function flagsFor({ client, connection }: Knex.Config): readonly string[] {
  const given = connection as Readonly<Record<string, string>>
  const scheme = schemes[String(client)]
  const folder = ['--content-types', magazine]
  if (scheme !== undefined) return [...folder, '--connection', urlOf(scheme, given)]
  return [...folder, '--client', String(client), '--connection', String(given['filename'])]
}

function urlOf(
  scheme: string,
  { user, password, host, port, database }: Readonly<Record<string, string>>,
): string {
  const login = [user, password].map((part) => encodeURIComponent(part ?? '')).join(':')
  return `${scheme}://${login}@${String(host)}:${String(port)}/${String(database)}`
}

eachDatabase((database) => {
  describe('the definitions of the magazine', () => {
    const world = database.fresh()
    const recorded = database.restored()
    const config = () => ({ contentTypes: magazine, database: world.config })
    const recordedConfig = () => ({ contentTypes: magazine, database: recorded.config })

    it('content-router check reports an empty database in one sentence', async () => {
      // SQLite creates its file with the first statement.
      await world.knex.raw('select 1')
      const { code, complained } = await run('check', ...flagsFor(world.config))
      expect(code).toBe(1)
      expect(complained).toMatch(/1 difference[^]*none of the \d+ tables of the definitions exists/)
      expect(complained).toContain('run content-router migrate')
    })

    it('rejects an option that does not exist, with the option that was probably meant', async () => {
      const misspelt = { dryrun: true } as object
      await expect(migrate(config(), misspelt)).rejects.toThrow(
        'migrate.dryrun: the option dryrun does not exist (did you mean dryRun?)',
      )
      expect((await tablesOf(world.knex)).size).toBe(0)
    })

    it('a dry run returns the statements, prints them from the command line, and executes none', async () => {
      const { statements, refused } = await migrate(config(), { dryRun: true })
      expect(statements.join('\n')).toMatch(/create table ["`]articles["`]/)
      expect(refused).toEqual([])
      const { code, printed } = await run('migrate', '--dry-run', ...flagsFor(world.config))
      expect([code, printed.split(';\n').map((one) => one.replace(/;$/, ''))]).toEqual([0, statements])
      expect([...(await tablesOf(world.knex)).keys()]).toEqual([])
    })

    it('the printed statements create the tables', async () => {
      const { printed } = await run('migrate', '--dry-run', ...flagsFor(world.config))
      for (const statement of printed.split(';\n')) await world.knex.raw(statement.replace(/;$/, ''))
      expect(await run('check', ...flagsFor(world.config))).toMatchObject({ code: 0 })
    })

    it('migrate has nothing to do the second time', async () => {
      expect((await run('migrate', ...flagsFor(world.config))).code).toBe(0)
      const nothing = { statements: [], refused: [], unused: [] }
      expect(await migrate(config())).toEqual(nothing)
      expect(await run('migrate', ...flagsFor(world.config))).toEqual({
        code: 0,
        printed: 'No changes are needed.',
        complained: '',
      })
    })

    it('the migrations are recorded apart from the Knex migrations of an application', async () => {
      expect(await world.knex.schema.hasTable('knex_migrations')).toBe(false)
      expect(await world.knex('content_router_tables').pluck('name')).toContain('articles')
    })

    describe('compared with the tables that Strapi created', () => {
      let ours: ActualTables
      let theirs: ActualTables
      beforeAll(async () => {
        ours = await comparedTables(world.knex)
        theirs = await comparedTables(recorded.knex)
      })

      it('the tables are the same', () => {
        expect([...ours.keys()].sort()).toEqual([...theirs.keys()].sort())
        expect(ours.size).toBeGreaterThan(50)
      })

      it('the columns have the same types and order, but for the document id of components', () => {
        const columnsOf = (tables: ActualTables, table: string) => [...(tables.get(table)?.columns ?? [])]
        for (const table of ours.keys()) {
          const columns = columnsOf(ours, table)
          const expected = columnsOf(theirs, table)
          if (/^components_/.test(table) && !/_(lnk|cmps|mph)$/.test(table)) {
            expect([table, columns[1]?.[0]]).toEqual([table, 'document_id'])
            columns.splice(1, 1)
          }
          expect([table, columns]).toEqual([table, expected])
        }
      })

      it('every index is there, and the additional ones have names of their own', () => {
        const [ourIndexes, theirIndexes] = [indexTexts(ours), indexTexts(theirs)]
        expect(theirIndexes.filter((text) => !ourIndexes.includes(text))).toEqual([])
        const added = ourIndexes.filter((text) => !theirIndexes.includes(text))
        expect(added.filter((text) => !/: cr_/.test(text))).toEqual([])
        expect(added).toEqual(
          expect.arrayContaining([
            'articles: cr_articles_list (locale, id, published_at)',
            'articles: cr_articles_slug (slug)',
            'articles_cmps: cr_articles_cmps_entity_id (entity_id, field, order, cmp_id, component_type)',
            'articles_tags_lnk: cr_articles_tags_lnk_article_id (article_id, tag_ord, tag_id)',
            'articles_tags_lnk: cr_articles_tags_lnk_tag_id (tag_id, article_ord, article_id)',
            'comments: cr_comments_target_id (target_id, target_type)',
            'files_related_mph: cr_files_related_mph_related_id (related_id, related_type, field, order, file_id)',
          ]),
        )
      })

      it('the foreign keys are the same, but for those of administrators', async () => {
        expect(await foreignKeys(world.knex, database.dialect)).toEqual(
          await foreignKeys(recorded.knex, database.dialect),
        )
      })
    })

    it('the tables hold rows', async () => {
      await world.knex('tags').insert({ id: 1, document_id: 'a', name: 'Zażółć 🚀' })
      await world.knex('articles').insert({ id: 7, document_id: 'b', price: 12.5, extra: '{"a":1}' })
      await world.knex('articles_tags_lnk').insert({ article_id: 7, tag_id: 1, tag_ord: 1, article_ord: 1 })
      expect(await world.knex('tags').pluck('name')).toEqual(['Zażółć 🚀'])
      expect(await world.knex('articles_tags_lnk').pluck('tag_id')).toEqual([1])
    })

    it('content-router migrate names columns that no definition has', async () => {
      await world.knex.schema.alterTable('tags', (table) => table.string('colour'))
      const { printed } = await run('migrate', ...flagsFor(world.config))
      expect(printed).toContain('migrate keeps the unused column tags.colour')
    })

    it('a database of Strapi is left alone without strapiDatabase', async () => {
      const before = await tablesOf(recorded.knex)
      await expect(migrate(recordedConfig())).rejects.toMatchObject({
        name: 'TablesError',
        faults: [{ where: 'database', remedy: expect.stringContaining('strapiDatabase: true') as unknown }],
      })
      expect(await tablesOf(recorded.knex)).toEqual(before)
      const { refused, statements } = await migrate(recordedConfig(), { dryRun: true })
      expect([refused.length, statements.length > 0]).toEqual([1, true])
    })

    it('a database of Strapi gets indexes alone, and each of them once', async () => {
      const { statements } = await migrate(recordedConfig(), { strapiDatabase: true })
      expect(statements.length).toBeGreaterThan(0)
      expect(statements.filter((statement) => !/^create index ["`]cr_/.test(statement))).toEqual([])
      expect((await migrate(recordedConfig())).statements).toEqual([])
    })

    it('ready() leaves missing tables of a Strapi database to Strapi', async () => {
      const contentTypes = note({ title: { type: 'string' } })
      const router = recorded.closing(contentRouter({ contentTypes, database: recorded.config }))
      const remedy = expect.stringContaining('start Strapi once') as unknown
      await expect(router.ready()).rejects.toMatchObject({ faults: [{ where: 'notes', remedy }] })
    })
  })

  describe('a database that Strapi 4 created', () => {
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

    it('is left alone by migrate, and reported by ready() in one sentence', async () => {
      const says = {
        name: 'TablesError',
        faults: [
          {
            where: 'database',
            problem: expect.stringContaining('the tables belong to Strapi 4') as unknown,
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

  describe('definitions of a few types', () => {
    const world = database.fresh()
    const config = (attributes: Record<string, unknown>) => ({
      contentTypes: note(attributes),
      database: world.config,
    })
    const columns = async (table: string) => [
      ...((await tablesOf(world.knex)).get(table)?.columns.keys() ?? []),
    ]

    it('migrate executes exactly the statements of the dry run', async () => {
      const first = config({ title: { type: 'string' }, size: { type: 'integer' } })
      const { statements } = await migrate(first, { dryRun: true })
      expect((await migrate(first)).statements).toEqual(statements)
      expect(statements.length).toBeGreaterThan(0)
      await world.knex('notes').insert({ id: 1, title: 'kept', size: 3 })
    })

    it('new attributes add columns and join tables to an existing table', async () => {
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

    it('columns of removed attributes stay, and are reported as unused', async () => {
      const { statements, unused } = await migrate(config({ title: { type: 'string' } }))
      expect(statements).toEqual([])
      expect(unused).toEqual(expect.arrayContaining(['notes.size', 'notes.extra']))
      expect(await columns('notes')).toEqual(expect.arrayContaining(['size', 'extra']))
    })

    it('changed types of columns are refused with the complete list, before anything is added', async () => {
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

    it('a dry run lists refused changes as well', async () => {
      const { refused } = await migrate(config({ size: { type: 'biginteger' } }), { dryRun: true })
      expect(refused.map(({ where }) => where)).toEqual(['notes.size'])
    })

    it('a text may become a string, as the column stays readable', async () => {
      await migrate(config({ body: { type: 'text' } }))
      const { refused } = await migrate(config({ body: { type: 'string' } }), { dryRun: true })
      expect(refused).toEqual([])
    })

    it('two types with foreign keys to each other get both of them', async () => {
      const key = (target: string) => ({
        ...{ type: 'relation', relation: 'oneToOne', target, useJoinTable: false },
      })
      const type = (name: string, attributes: Definition['attributes']): Definition => ({
        kind: 'collectionType',
        collectionName: `${name}s`,
        info: { singularName: name, pluralName: `${name}s`, displayName: name },
        attributes,
      })
      const contentTypes = [type('left', { right: key('right') }), type('right', { left: key('left') })]
      await migrate({ contentTypes, database: world.config })
      await world.knex('lefts').insert({ id: 1 })
      await world.knex('rights').insert({ id: 1, left_id: 1 })
      await world.knex('lefts').update({ right_id: 1 })
      if (database.dialect === 'sqlite') await world.knex.raw('pragma foreign_keys = on')
      await world.knex('rights').delete()
      expect(await world.knex('lefts').pluck('right_id')).toEqual([null])
    })

    it('a type with a long name gets distinct names that every database can hold', async () => {
      const collectionName = 'warehouse_inventory_snapshot_records_for_reporting_use'
      const info = { singularName: 'record', pluralName: 'records', displayName: 'Record' }
      const attributes = {
        code: { type: 'uid' },
        aVeryLongAttributeNameThatGoesOnAndOn: { type: 'relation', relation: 'oneToMany', target: 'record' },
      }
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
