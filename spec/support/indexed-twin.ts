import { ContentError, type ContentRouter, type ContentRouterConfig } from '../../lib'
import type { TestDatabase, World } from './databases'
import { collection } from './library'

/** A column that an attribute of the type is read from, and what is put into it and asked for. */
export interface Kind {
  readonly type: string
  readonly column: string
  readonly values: readonly string[]
}

export const kind = (
  type: string,
  values: readonly string[],
  ...columns: readonly string[]
): readonly Kind[] => columns.map((column) => ({ type, column, values }))

export const nameOf = (at: number): string => `c_${String(at)}`

export const bothOf = (columns: readonly Kind[]): ContentRouterConfig['contentTypes'] => {
  const attributes = Object.fromEntries(columns.map(({ type }, at) => [nameOf(at), { type }]))
  return ['indexed', 'plain'].map((name) =>
    collection(name, attributes),
  ) as ContentRouterConfig['contentTypes']
}

const own = {
  sqlite: { id: 'integer primary key', instant: 'datetime' },
  mysql: { id: 'int primary key auto_increment', instant: 'datetime(6)' },
  postgres: { id: 'serial primary key', instant: 'timestamp(6)' },
} as const
type Dialect = TestDatabase['dialect']

/** MySQL takes anything, and keeps what is nearest to it. */
function fits(dialect: Dialect, { type, column }: Kind, value: string): boolean {
  if (dialect === 'mysql') return true
  if (/int/.test(column)) return /^-?\d{1,4}$/.test(value)
  return !['decimal', 'float'].includes(type) || /^-?\d{1,7}(?:\.\d+)?$/.test(value)
}

function stored(dialect: Dialect, type: string, value: string): string | number {
  if (dialect !== 'postgres' && type === 'boolean') return Number(value === 'true')
  if (type !== 'datetime' && type !== 'timestamp') return value
  return dialect === 'sqlite' ? Date.parse(value) : value.replace('T', ' ').replace('Z', '')
}

/** Rows without a value, so that a server goes by the index to those with one. */
const others = 2000

export async function fill({ knex }: World, dialect: Dialect, columns: readonly Kind[]): Promise<void> {
  const { id, instant } = own[dialect]
  const ignoring = dialect === 'mysql' ? 'ignore' : ''
  const instants = ['created_at', 'updated_at', 'published_at'].map((name) => `${name} ${instant} null`)
  for (const table of ['indexeds', 'plains']) {
    const makers = ['created_by_id int', 'updated_by_id int', 'locale varchar(255)']
    const all = columns.map(({ column }, at) => `${nameOf(at)} ${column}`)
    await knex.raw(
      `create table ${table} (id ${id}, document_id varchar(255), ${[...instants, ...makers, ...all].join()})`,
    )
  }
  await knex.batchInsert(
    'indexeds',
    Array.from({ length: others }, (_, at) => ({ document_id: `d${String(at)}` })),
    500,
  )
  for (const [at, kept] of columns.entries()) {
    const { type, values } = kept
    for (const value of values.filter((one) => fits(dialect, kept, one))) {
      await knex.raw(`insert ${ignoring} into indexeds (document_id, ??) values ('v', ?)`, [
        nameOf(at),
        stored(dialect, type, value),
      ])
    }
  }
  await knex.raw(`insert ${ignoring} into plains select * from indexeds`)
  for (const at of columns.keys()) await knex.raw(`create index ${nameOf(at)} on indexeds (${nameOf(at)})`)
  await knex.raw(dialect === 'mysql' ? 'analyze table indexeds, plains' : 'analyze')
}

export const isText = (type: string): boolean => type === 'string' || type === 'text'

/** Each beside the next one, and beside one from the other end. */
const pairsOf = (values: readonly string[]): readonly (readonly string[])[] =>
  values.flatMap((value, at) =>
    [values.at(at + 1 - values.length), values.at(-1 - at)].map((other = value) => [value, other]),
  )

const plainOperators = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte']

export function conditionsOf({ type, values }: Pick<Kind, 'type' | 'values'>): readonly object[] {
  const operators = isText(type) ? [...plainOperators, '$startsWith'] : plainOperators
  const pairs = pairsOf(values)
  return [
    ...values.flatMap((value) => operators.map((operator) => ({ [operator]: value }))),
    ...pairs.flatMap((pair) => ['$in', '$notIn', '$between'].map((operator) => ({ [operator]: pair }))),
    ...values.flatMap((value) => [{ $between: [value, value] }, { $not: { $eq: value } }]),
  ]
}

interface Answer {
  /** Or why it is refused. */
  readonly ids: string
  readonly cursor: string | undefined
}

async function answerOf(content: ContentRouter, plural: string, query: object): Promise<Answer> {
  try {
    const { data, meta } = await content.as('public').find(plural, { fields: ['id'], ...query })
    const { endCursor } = meta.pagination as { readonly endCursor?: string | null }
    return { ids: data.map(({ id }) => String(id)).join(), cursor: endCursor ?? undefined }
  } catch (error) {
    if (error instanceof ContentError) return { ids: error.message, cursor: undefined }
    throw error
  }
}

/** So many at once as keep both the server and this process busy. */
const atOnce = 16

/** What is answered otherwise by an index, and how many found something. */
export async function sweep(
  content: ContentRouter,
  queries: readonly object[],
): Promise<{ readonly found: number; readonly otherwise: readonly string[] }> {
  const otherwise: string[] = []
  let found = 0
  const ask = async (query: object): Promise<void> => {
    const [byIndex, byRows] = await Promise.all([
      answerOf(content, 'indexeds', query),
      answerOf(content, 'plains', query),
    ])
    if (byRows.ids !== '') found++
    if (byIndex.ids !== byRows.ids)
      otherwise.push(`${JSON.stringify(query)}: ${byIndex.ids}; by rows ${byRows.ids}`)
  }
  for (let from = 0; from < queries.length; from += atOnce)
    await Promise.all(queries.slice(from, from + atOnce).map(ask))
  return { found, otherwise }
}

const pageSize = 7

/** What a cursor holds, but for the list that it belongs to. */
const heldBy = (cursor: string): readonly unknown[] =>
  (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as readonly unknown[]).slice(1)

/** The pages of a list in the order of an attribute, and what their cursors hold, up to the last one or a refusal. */
export async function pagesOf(
  content: ContentRouter,
  plural: string,
  name: string,
  direction: string,
): Promise<readonly string[]> {
  const sort = `${name}:${direction}`
  const pages: string[] = []
  for (let after: string | undefined = ''; after !== undefined;) {
    const query = { sort, filters: { [name]: { $notNull: true } }, pagination: { after, pageSize } }
    const answer = await answerOf(content, plural, query)
    pages.push(
      answer.cursor !== undefined ? `${answer.ids} ${JSON.stringify(heldBy(answer.cursor))}` : answer.ids,
    )
    after = answer.cursor
  }
  return pages
}

/** What asks for each of the conditions. */
export const filtersOf = (name: string, conditions: readonly object[]): readonly object[] =>
  conditions.map((condition) => ({
    filters: { $and: [{ [name]: { $notNull: true } }, { [name]: condition }] },
    sort: 'id',
  }))

/** What asks for so many in order, by the numbers of pages: for these a server may go along an index instead of sorting. */
export const ordersOf = (name: string, count: number): readonly object[] =>
  ['asc', 'desc'].flatMap((direction) =>
    Array.from({ length: Math.ceil(count / pageSize) }, (_, at) => ({
      filters: { [name]: { $notNull: true } },
      sort: [`${name}:${direction}`, `id:${direction}`],
      pagination: { page: at + 1, pageSize, withCount: false },
    })),
  )
