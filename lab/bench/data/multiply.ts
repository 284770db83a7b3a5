import type { Knex } from 'knex'
import type { FilledDatabase } from '../measured-databases'
import { content, prolific, sizes } from './content'

/** So many documents are made one by one. What is beyond them is copied in the database, with ids of its own. */
export const madeSingly = 20_000

interface Copied {
  readonly table: string
  /** How many of its rows belong to a document. */
  readonly rows: number
  /** Ids and counts that go on, by how many for a document. */
  readonly counting?: Readonly<Record<string, number>>
  /** What else differs from what is copied, as SQL. */
  readonly renamed?: (copy: number) => Readonly<Record<string, string>>
}

const others = sizes.authors - prolific.length

/** The first two authors keep the number of articles that they are known for. */
const author = `case when author_id <= ${String(prolific.length)}
  then ${String(prolific.length + 1)} + article_id % ${String(others)} else author_id end`

/** Where what is copied has hexadecimal digits alone, no copy can be named as another. */
const names = (copy: number): Readonly<Record<string, string>> => ({
  document_id: `concat(substr(document_id, 1, 20), 'x${String(copy).padStart(3, '0')}')`,
  slug: `concat(slug, '-${String(copy)}')`,
})

const component = (name: string, rows = 2): Copied => ({ table: `components_shared_${name}`, rows })

const copied: readonly Copied[] = [
  { table: 'articles', rows: 2, renamed: names },
  {
    table: 'articles_author_lnk',
    rows: 2,
    counting: { article_id: 2, article_ord: 1 },
    renamed: () => ({ author_id: author }),
  },
  { table: 'articles_category_lnk', rows: 2, counting: { article_id: 2 } },
  { table: 'articles_tags_lnk', rows: 8, counting: { article_id: 2 } },
  { table: 'files_related_mph', rows: 8, counting: { related_id: 2 } },
  component('seos'),
  component('socials', 4),
  component('rich_texts'),
  component('quotes'),
  component('callouts'),
  component('sliders'),
  { table: 'components_shared_seos_cmps', rows: 4, counting: { entity_id: 2, cmp_id: 4 } },
  { table: 'articles_cmps', rows: 10, counting: { entity_id: 2, cmp_id: 2 } },
]

interface Ways {
  /** Said before rows are put in. What is copied leads to what is there: nobody needs to look. */
  readonly before: string | null
  /** What a server that has run for a while knows of its tables. */
  readonly gather: string | null
}

const waysOf: Readonly<Record<FilledDatabase, Ways>> = {
  sqlite: { before: null, gather: null },
  mariadb: { before: 'set foreign_key_checks = 0', gather: 'analyze table ??' },
  mysql: { before: 'set foreign_key_checks = 0', gather: 'analyze table ??' },
  postgres: { before: 'set local session_replication_role = replica', gather: 'vacuum analyze ??' },
}

/** One more of everything that belongs to the first `documents`. */
async function copyOnce(
  trx: Knex,
  { table, rows, counting = {}, renamed }: Copied,
  { copy, documents, lastId }: { readonly copy: number; readonly documents: number; readonly lastId: number },
): Promise<void> {
  const columns = content(madeSingly).find((filling) => filling.table === table)?.columns ?? []
  const changed: Record<string, string> = { id: `id + ${String(copy * lastId)}`, ...renamed?.(copy) }
  for (const [column, step] of Object.entries(counting))
    changed[column] = `${column} + ${String(copy * madeSingly * step)}`
  const values = columns.map((column) => trx.raw(changed[column] ?? '??', changed[column] ? [] : [column]))
  const source = trx(table)
    .select(values)
    .where('id', '<=', rows * documents)
  await trx(trx.raw(`?? (${columns.map(() => '??').join(', ')})`, [table, ...columns])).insert(source)
}

async function copyTable(knex: Knex, one: Copied, ways: Ways, documents: number): Promise<void> {
  const { table } = one
  const [last] = await knex(table).max<{ id: number }[]>({ id: 'id' })
  const lastId = last?.id ?? 0
  for (let copy = 1; copy * madeSingly < documents; copy += 1) {
    const left = Math.min(madeSingly, documents - copy * madeSingly)
    await knex.transaction(async (trx) => {
      if (ways.before !== null) await trx.raw(ways.before)
      await copyOnce(trx, one, { copy, documents: left, lastId })
    })
  }
  if (ways.gather !== null) await knex.raw(ways.gather, [table])
}

/** Where the first `madeSingly` documents are, makes as many as there are to be. They stay as they are. */
export async function multiply(knex: Knex, name: FilledDatabase, documents: number): Promise<void> {
  for (const one of copied) await copyTable(knex, one, waysOf[name], documents)
}
