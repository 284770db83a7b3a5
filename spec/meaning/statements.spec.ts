import makeKnex from 'knex'
import { mysql } from '../../lib/sql/dialects/mysql'
import { postgres } from '../../lib/sql/dialects/postgres'
import { all, compile, joined, type Notation, notationOf, type Sql, sql } from '../../lib/sql/statement'
import { makeScope } from '../../lib/sql/sql-scope'
import { sqlite } from '../../lib/sql/dialects/sqlite'
import { where } from '../../lib/sql/where'
import { tablesIn } from '../../lib/read/record-sources'
import { once } from '../../lib/memory'
import type { Condition } from '../../lib/plan'
import { type LinkField, type Model, modelOf, readSchema, type Uid } from '../../lib/schema'
import { type Chance, chanceFrom, happens, pick, times } from '../../lab/requests/chance'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { runs } from '../support/property-runs'
import { type Served, stocked } from '../support/served'

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const books = 60

onSqlite((database) => {
  const { serve } = stocked(database, library, {
    $locales: ['en', 'fr'],
    country: [{ $ref: 'uk', name: 'UK' }],
    author: [
      { $ref: 'ada', name: 'Ada', country: 'uk', portrait: { name: 'ada.png' } },
      { $ref: 'none', name: 'None' },
    ],
    genre: [
      { $ref: 'essay', name: 'Essay' },
      { $ref: 'crime', name: 'Crime', parent: 'essay' },
    ],
    book: range(books).map((year) => ({
      ...{ $ref: `b${String(year)}`, title: `Book ${String(year)}`, year, ledger: 'private' },
      ...{ author: 'ada', genres: ['crime', 'essay'], cover: { name: 'c.png' } },
      ...{ plates: [{ name: 'p.png' }], seo: { title: 's', social: { headline: 'h' } } },
      notes: [{ text: 'n', by: 'ada' }, { text: 'm' }],
      sections: [
        { __component: 'page.prose', heading: 'h' },
        { __component: 'page.pick', title: 't', books: [`b${String((year + 1) % books)}`] },
        { __component: 'page.gallery', caption: 'c', plates: [{ name: 'g.png' }] },
      ],
    })),
    review: range(books).map((year) => ({ verdict: 'v', subject: { book: `b${String(year)}` } })),
    memo: range(books).map((year) => ({
      title: String(year),
      $locales: { fr: { title: `f${String(year)}` } },
    })),
  })

  const { sql: statements, logger } = keeping()
  let watched: Served | undefined

  /** The statements of a request, without those that a router sends once at its start. */
  async function statementsOf(path: string, role?: string): Promise<readonly string[]> {
    watched ??= serve({
      logger,
      permissions: { public: { find: '*' }, guest: { find: ['book', 'review', 'memo'] } },
    })
    await watched.list('countries')
    statements.length = 0
    await watched.list(path, role)
    return [...statements]
  }
  const countOf = async (path: string): Promise<number> => (await statementsOf(path)).length
  const sized = (path: string, size: number): string => `${path}&pagination[pageSize]=${String(size)}`

  describe('the statements of a request', () => {
    it.each([
      'books?fields=title',
      'books?populate=author',
      'books?populate=*',
      'books?populate=author.country,genres.parent,seo.social,notes.by,sections.books.author,reviews',
      'books?populate[sections][populate]=*',
      'books?populate[sections][on][page.pick][populate][books][populate]=*',
      'books?populate[genres][filters][name]=Essay&populate[genres][sort]=name:desc',
      'books?filters[author][name]=Ada&filters[genres][name]=Crime&sort=author.country.name,genres.name:desc',
      'books?populate[notes][count]=true',
      'reviews?populate=*',
      'memos?populate=*',
    ])('are as many for 1, 10 and 50 entries: %s', async (path) => {
      const counts: number[] = []
      for (const size of [1, 10, 50]) counts.push(await countOf(sized(path, size)))
      expect(counts).toEqual([counts[0], counts[0], counts[0]])
      expect(counts[0]).toBeGreaterThan(0)
    })

    it('are one for the entries and their total, and two for a filtered page without a sort', async () => {
      expect(await countOf('books?sort=title')).toBe(1)
      expect(await countOf('books?pagination[page]=3')).toBe(1)
      expect(await countOf('books?sort=title&pagination[withCount]=false')).toBe(1)
      expect(await countOf('books?filters[year][$gte]=0')).toBe(2)
      expect(await countOf('books?filters[year][$gte]=0&sort=title')).toBe(1)
      expect(await countOf('books?filters[year][$lt]=20')).toBe(1)
    })

    it('are one more for each to-many relation', async () => {
      expect(await countOf('books?populate=genres')).toBe(2)
      expect(await countOf('books?populate=genres.children')).toBe(3)
      expect(await countOf('books?populate=genres.children,plates,notes')).toBe(5)
    })

    it('are no more for up to four to-one relations', async () => {
      expect(await countOf('books?populate=author')).toBe(1)
      expect(await countOf('books?populate=author.country,seo.social')).toBe(1)
      expect(await countOf('books?populate=author.country,genres.parent,seo.social')).toBe(3)
    })

    it('are one more for each further to-one relation', async () => {
      expect(await countOf('books?populate=author.country,cover,seo.social')).toBe(2)
      expect(await countOf('books?populate=author.country,cover,seo.social,sequel')).toBe(3)
    })

    it('are at most one for each join table and one for each type', async () => {
      const tables = ['author', 'genres', 'sequel', 'files', 'components', 'reviews'].length
      const types = ['author', 'genre', 'book', 'review', 'file', 'seo', 'note', 'prose', 'pick', 'gallery']
        .length
      expect(await countOf('books?populate=*')).toBeLessThanOrEqual(2 + tables + types)
    })

    it('are no more for two relations of the same kind to the same type', async () => {
      expect(await countOf('books?populate=cover,plates')).toBe(await countOf('books?populate=plates'))
    })

    it('read only what is requested', async () => {
      const [page, ...rest] = await statementsOf('books?fields=title&pagination[withCount]=false')
      expect(rest).toEqual([])
      expect(page).not.toMatch(/year|blurb|ledger|author/)
      expect((await statementsOf('books?populate=author')).join()).not.toMatch(/genres|files|components/)
    })

    it('never read private attributes', async () => {
      expect((await statementsOf('books?populate=*')).join()).not.toContain('ledger')
    })

    it('read nothing that the role may not find', async () => {
      const all = await statementsOf(
        'books?populate=author.country,genres,notes.by,sections.books.author',
        'guest',
      )
      expect(all.join()).not.toMatch(/authors|genres|countries/)
      expect(all.join()).toContain('components_shared_note')
    })

    it('read nothing behind an empty page or an empty relation', async () => {
      const nothing = await statementsOf('books?filters[title]=nothing&populate=*')
      expect(nothing).toHaveLength(1)
      const lonely = await statementsOf('authors?filters[name]=None&populate=country.authors')
      expect(lonely.join()).not.toMatch(/from [`"]countries/)
    })

    it('contain no value of the client', async () => {
      const all = await statementsOf(
        'books?filters[title][$contains]=Book&filters[genres][name]=Crime&populate=author',
      )
      expect(all.join()).not.toMatch(/Book|Crime/)
    })
  })
})

describe('a compiled condition', () => {
  const schema = readSchema(library)

  type Step = Extract<Condition<never>, { op: 'some' }>['step']

  interface Growing {
    readonly chance: Chance
    /** The compared values, each once. */
    readonly values: string[]
    readonly steps: Map<LinkField, Step>
  }

  const leadsSomewhere = ({ link, targets }: LinkField): boolean =>
    link.via !== 'here' && targets.length === 1

  function comparison({ values }: Growing, { columns }: Model): Condition<never> {
    const column = columns.get('id')
    if (column === undefined) throw new Error('no id')
    const value = `value ${String(values.length)}`
    values.push(value)
    const text = { ...column, column: 'name', type: 'string' } as const
    return { op: 'test', column: text, test: { is: 'equal', value, ignoreCase: false }, negated: false }
  }

  const modelNamed = (uid: string): Model => modelOf(schema, uid as Uid)

  function stepFrom(growing: Growing, field: LinkField, left: number): Step {
    const [uid = ''] = field.targets
    const target = modelNamed(uid)
    return once(growing.steps, field, () => {
      const visible = grown({ ...growing, steps: new Map<LinkField, Step>() }, target, Math.min(left - 1, 1))
      return { field, target, visible, path: [] }
    })
  }

  /** A condition of a filter or a rule, with at most `left` links in a row. */
  function grown(growing: Growing, model: Model, left: number): Condition<never> {
    const { chance } = growing
    const fields = [...model.links.values()].filter(leadsSomewhere)
    const kind = left === 0 || fields.length === 0 ? chance(2) : chance(8)
    if (kind === 0) return comparison(growing, model)
    if (kind < 4) {
      const of = times(chance, 1, 5, () =>
        kind === 1 ? comparison(growing, model) : grown(growing, model, left - 1),
      )
      return { op: happens(chance, 70) ? 'and' : 'or', of }
    }
    if (kind === 4) return { op: 'ruled', of: grown(growing, model, left - 1) }
    const field = pick(chance, fields)
    const step = stepFrom(growing, field, left)
    const of = grown(growing, step.target, left - 1)
    if (kind < 7) return { op: 'some', step, of, orMissing: happens(chance, 20) }
    const [among, untrue] = [happens(chance, 50), happens(chance, 50)]
    return {
      op: 'linked',
      asked: '$some',
      field,
      ways: [{ step, of }],
      named: [],
      among,
      untrue,
      count: null,
    }
  }

  const clients = [
    ['mysql2', mysql],
    ['pg', postgres],
    ['better-sqlite3', sqlite],
  ] as const

  describe.each(clients)('for %s', (client, dialect) => {
    const notation = notationOf(makeKnex({ client, useNullAsDefault: true }), dialect.placeholder)

    it('has all its parts', () => {
      const chance = chanceFrom(7)
      const rounds = runs(300)
      const scope = makeScope({ notation, dialect, matching: 'exact' })
      let compared = 0
      for (let round = 0; round < rounds; round += 1) {
        const growing: Growing = { chance, values: [], steps: new Map() }
        const model = modelNamed(pick(chance, ['api::book.book', 'api::author.author', 'api::genre.genre']))
        const condition = grown(growing, model, 4)
        const made = sql('?', [where(scope, { alias: 't0', model }, condition)])
        const bound = new Set(compile({ notation }, made).bindings)
        const lost = growing.values.filter((value) => !bound.has(value))
        if (lost.length > 0) expect({ round, lost }).toEqual({ round, lost: [] })
        compared += growing.values.length
      }
      expect(compared).toBeGreaterThan(rounds * 6)
    })
  })
})

describe('an SQL fragment', () => {
  const numbered = notationOf(makeKnex({ client: 'pg' }), (number) => `$${String(number)}`)
  const marked = notationOf(makeKnex({ client: 'mysql2' }), () => '?')
  const write = (
    made: Sql,
    notation: Notation,
  ): { readonly text: string; readonly bindings: readonly unknown[] } => {
    const { sql: text, bindings } = compile({ notation }, made)
    return { text, bindings }
  }

  it('parts replace the placeholders, and bindings follow the order of the text', () => {
    const inner = sql('?? > ?', ['t1.views', 5])
    const whole = sql('select ?? from ?? where ? and ?? = ?', ['t1.id', 'articles', inner, 't1.slug', 'a'])
    expect(write(whole, numbered)).toEqual({
      text: 'select "t1"."id" from "articles" where "t1"."views" > $1 and "t1"."slug" = $2',
      bindings: [5, 'a'],
    })
    expect(write(whole, marked).text).toBe(
      'select `t1`.`id` from `articles` where `t1`.`views` > ? and `t1`.`slug` = ?',
    )
  })

  it('a value that looks like SQL or a placeholder is a binding like any other', () => {
    const values = ['?', '??', `' or 1 = 1 --`, '$1']
    const made = write(
      joined(
        values.map((value) => sql('? = ?', [sql('??', ['a']), value])),
        ' or ',
      ),
      numbered,
    )
    expect(made).toEqual({ text: '"a" = $1 or "a" = $2 or "a" = $3 or "a" = $4', bindings: values })
  })

  it.each([
    ['numbered', numbered, '"a""b"'],
    ['marked', marked, '`a"b`'],
  ])('quotes in an identifier are escaped: %s', (_, notation, text) => {
    expect(write(sql('??', ['a"b']), notation).text).toBe(text)
  })

  it('backticks in an identifier are escaped', () => {
    expect(write(sql('??', ['a`b']), marked).text).toBe('`a``b`')
  })

  it('an empty list of conditions is always true', () => {
    expect(write(all([]), numbered)).toEqual({ text: '1 = 1', bindings: [] })
  })

  it.each([
    ['more places than parts', '? = ?', [1]],
    ['more parts than places', '?', [1, 2]],
  ])('%s throw an error', (what, text, parts) => {
    expect(() => write(sql(text, parts), numbered)).toThrow(what)
  })
})

describe('the tables of a statement', () => {
  it.each([
    [`select "t1"."id" from "articles" as "t1"`, ['articles']],
    [
      `select 1 from "a" as "t1" inner join "b" as "t2" on "t1"."id" = "t2"."id" left join "c" on true`,
      ['a', 'b', 'c'],
    ],
    [
      `select * from (select "x" from "inner" as "t1") as "y" where exists (select 1 from "there")`,
      ['inner', 'there'],
    ],
    [
      `select floor(extract(epoch from "t1"."created_at") * 1000)::bigint from "articles" as "t1"`,
      ['articles'],
    ],
    [`select 1 from "a" where "t1"."x" is distinct from "t2"."x"`, ['a']],
    [`select 1 FROM  "with ""quotes"""`, ['with "quotes"']],
    ['select 1 from `a` as `t1` inner join `b` on true left join `c` on true', ['a', 'b', 'c']],
    ['select straight_join 1 from `a` straight_join `with ``ticks```', ['a', 'with `ticks`']],
    // The schema is taken for the table: an unknown table, which is never cached by its changes.
    [`select 1 from "content"."articles"`, ['articles']],
  ])('of %s', (sql, tables) => {
    expect([...tablesIn(sql)]).toEqual(tables)
  })
})
