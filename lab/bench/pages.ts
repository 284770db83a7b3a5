// `--pages`: a late page by cursors and one by its number beside the first page, each in a process of its own; and documents
// in another locale where they lack one, beside those that have it; and what a rule hides beside what a filter leaves out.
import { knex as makeKnex } from 'knex'
import { join } from 'node:path'
import { migrate } from '../../lib'
import { documentId } from './data/words'
import type { Prepared } from './data/prepare'
import { bodyOf, contend } from './measure/compare'
import { type RunningSide, startSide } from './measure/running-side'
import type { Options } from './options'
import { type Measured, sayRatios } from './report'
import type { Known } from './requests'

/** What is contended for, each by its name; the first is what the others are beside. */
type Kinds = readonly (readonly [name: string, path: string])[]

interface Contest {
  readonly request: string
  readonly title: string
  readonly kinds: (side: RunningSide) => Promise<Kinds>
}

const size = 25
const sorts = ['id', 'title', 'publishedAt:desc', 'category.name']

interface PageBody {
  readonly meta: { readonly pagination: { readonly startCursor: string } }
}

const byCursor = (sort: string, place: string): string =>
  `/api/articles?sort=${sort}&pagination[pageSize]=${String(size)}&pagination[${place}`

/** The last page but one, in its place in the list. */
async function latePage(side: RunningSide, sort: string): Promise<string> {
  const last = await bodyOf(
    side,
    `/api/articles?sort=${sort}&pagination[pageSize]=${String(2 * size)}&pagination[before]=`,
  )
  const { startCursor } = (JSON.parse(last) as PageBody).meta.pagination
  return byCursor(sort, `after]=${startCursor}`)
}

const pages = (articles: number): readonly Contest[] =>
  sorts.map((sort) => ({
    request: `pages by ${sort}`,
    title: `page ${String(articles / size - 1)} by a cursor, and by its number, beside the first`,
    kinds: async (side) => [
      ['first', byCursor(sort, 'after]=')],
      ['late', await latePage(side, sort)],
      [
        'numbered',
        `/api/articles?sort=${sort}&pagination[withCount]=false&pagination[page]=${String(articles / size - 1)}`,
      ],
    ],
  }))

const notes = '/recorded/notes?sort=title'

const fallback: Contest = {
  request: 'fallback',
  title: 'a list of 25, each document in the first of three locales that it has, beside those of one locale',
  kinds: () =>
    Promise.resolve([
      ['none', `${notes}&locale=en`],
      ['two', `${notes}&locale=de&fallback=en`],
      ['three', `${notes}&locale=de-AT&fallback=de,en`],
    ]),
}

const by: Contest = {
  request: 'by',
  title: 'one article by its slug, beside the same by its document id',
  kinds: async (side) => {
    const id = documentId('article', 1)
    const { data } = JSON.parse(await bodyOf(side, `/api/articles/${id}`)) as { data: { slug: string } }
    return [
      ['id', `/api/articles/${id}`],
      ['slug', `/api/articles/by/slug/${data.slug}`],
    ]
  },
}

const rules: readonly Contest[] = [
  {
    request: 'rule',
    title: 'the articles of one author, by a rule, beside the same by a filter of the client',
    kinds: () =>
      Promise.resolve([
        ['asked', '/api/articles?filters[author][id]=7&populate=author&sort=title'],
        ['ruled', '/ruled/articles?populate=author&sort=title'],
      ]),
  },
  {
    request: 'rules of others',
    title: 'a list of 25 for a role without rules, where other roles have twelve, beside a table without any',
    kinds: () =>
      Promise.resolve([
        ['none', '/api/articles?populate=author&sort=title'],
        ['others', '/unruled/articles?populate=author&sort=title'],
      ]),
  },
]

const localizedTypes = join(__dirname, 'localized-types')
const documents = 20_000
const rowsAtOnce = 500

const localesOf = (document: number): readonly string[] => [
  'en',
  ...(document % 3 === 0 ? [] : ['de']),
  ...(document % 5 === 0 ? ['de-AT'] : []),
]

async function makeNotes({ name, bench }: Prepared): Promise<void> {
  await migrate({ contentTypes: localizedTypes, database: bench })
  const knex = makeKnex(bench)
  try {
    if ((await knex('notes').pluck<number[]>('id').limit(1)).length > 0) return
    const now = name === 'sqlite' ? Date.now() : new Date()
    const rows = Array.from({ length: documents }, (_, document) =>
      localesOf(document).map((locale) => ({
        document_id: `note${String(document)}`.padEnd(24, '0'),
        ...{
          title: `${String((document * 7919) % documents)} ${locale}`,
          summary: 'x'.repeat(200),
          views: document % 97,
        },
        ...{ locale, created_at: now, updated_at: now, published_at: now },
      })),
    ).flat()
    await knex.batchInsert('notes', rows, rowsAtOnce)
    if (name === 'postgres') await knex.raw('analyze notes')
  } finally {
    await knex.destroy()
  }
}

/** One connection: where several ask for the same at once, one reading answers them all. */
export async function measurePages(prepared: Prepared, known: Known, given: Options): Promise<Measured[]> {
  const { name: database, serverPid, bench } = prepared
  await makeNotes(prepared)
  const options = { ...given, connections: 1 }
  const serving = { name: database, bench, recorded: bench, recordedTypes: localizedTypes } as const
  const sides: RunningSide[] = []
  const measured: Measured[] = []
  try {
    for (let count = 0; count < 3; count += 1)
      sides.push(await startSide({ ...serving, side: 'ours', asStrapi: false, ...known }, []))
    for (const contest of [...pages(options.articles), fallback, by, ...rules]) {
      const { request, title, kinds } = contest
      const [first] = sides
      if (first === undefined) continue
      const paths = await kinds(first)
      const named = paths.flatMap(([name], at) => {
        // Of two processes one may be faster than the other by more than a rule costs.
        const side = rules.includes(contest) ? first : sides[at]
        return side === undefined ? [] : [{ ...side, name }]
      })
      const pathsOf = ({ name }: RunningSide): readonly string[] =>
        paths.flatMap(([kind, path]) => (kind === name ? [path] : []))
      const runs = await contend({ ...options, sides: named, serverPid, pathsOf })
      const bytes = Buffer.byteLength(await bodyOf(first, paths[0]?.[1] ?? ''))
      const [beside = ''] = Object.keys(runs)
      for (const other of Object.keys(runs).slice(1)) {
        const pair = { [other]: runs[other] ?? [], [beside]: runs[beside] ?? [] }
        const one = { database, request: `${request}, ${other}`, title, bytes, runs: pair }
        measured.push(one)
        sayRatios(one, other)
      }
    }
  } finally {
    await Promise.all(sides.map((side) => side.stop()))
  }
  return measured
}
