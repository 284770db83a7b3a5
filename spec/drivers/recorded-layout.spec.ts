import type { Knex } from 'knex'
import { openDatabase, type DialectName } from '../../lib/database'
import { migrate } from '../../lib/tables'
import { readTables, type ActualTables } from '../../lib/tables/read-tables'
import { eachDatabase } from '../support/databases'
import { recordingOf } from '../support/recordings'

const contentTypes = recordingOf('sqlite').contentTypes

const foreignKeyStatements: Readonly<Record<DialectName, string>> = {
  // SQLite gives the keys no names, and lists those that Strapi declares twice twice.
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

const settings = 'strapi_core_store_settings'

/** The administration's own tables, which nothing of ours reads. */
function belongsToStrapi(table: string): boolean {
  return /^(admin|strapi)_/.test(table) && table !== settings
}

const indexTexts = (tables: ActualTables): string[] =>
  [...tables].flatMap(([table, { indexes }]) =>
    indexes.map(({ name, columns }) => `${table}: ${name} (${columns.join(', ')})`),
  )

eachDatabase((database) => {
  describe('the tables that migrate makes, held against those that Strapi made', () => {
    const ours = database.fresh()
    const theirs = database.restored()
    let made: ActualTables
    let recorded: ActualTables

    beforeAll(async () => {
      await migrate({ contentTypes, database: ours.config })
      const ownNotes = ['content_router_migrations', 'content_router_migrations_lock', 'sqlite_sequence']
      const wanted = ([table]: readonly [string, unknown]): boolean =>
        !ownNotes.includes(table) && !belongsToStrapi(table)
      made = new Map([...(await readTables(openDatabase(ours.knex)))].filter(wanted))
      recorded = new Map([...(await readTables(openDatabase(theirs.knex)))].filter(wanted))
    })

    it('are the same tables', () => {
      expect([...made.keys()].sort()).toEqual([...recorded.keys()].sort())
      expect(made.size).toBeGreaterThan(50)
    })

    it('have the same columns with the same types in the same order, but for the document id of components', () => {
      const columnsOf = (tables: ActualTables, table: string) => [...(tables.get(table)?.columns ?? [])]
      for (const table of made.keys()) {
        const columns = columnsOf(made, table)
        const expected = columnsOf(recorded, table)
        if (/^components_/.test(table) && !/_(lnk|cmps|mph)$/.test(table)) {
          expect([table, columns[1]?.[0]]).toEqual([table, 'document_id'])
          columns.splice(1, 1)
        }
        expect([table, columns]).toEqual([table, expected])
      }
    })

    it('have every index of theirs, and beyond them only such as no Strapi names', () => {
      const [ourIndexes, theirIndexes] = [indexTexts(made), indexTexts(recorded)]
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

    it('have the same foreign keys, but for those to the administrators', async () => {
      expect(await foreignKeys(ours.knex, database.dialect)).toEqual(
        await foreignKeys(theirs.knex, database.dialect),
      )
    })
  })
})
