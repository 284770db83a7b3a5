import { once } from 'node:events'
import { createServer, get as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { knex as makeKnex } from 'knex'
import request from 'supertest'
import { onSqlite } from '../support/databases'
import { hearing, keeping } from '../support/hearing'
import { collection, library, text } from '../support/library'
import { type Served, stocked } from '../support/served'

const permissions = {
  public: { find: '*', drafts: '*' },
  guest: { find: ['book', 'review'] },
} as const

onSqlite((database) => {
  const { world, seeded, serve } = stocked(database, library, {
    $locales: ['en', 'fr'],
    country: [{ $ref: 'uk', name: 'UK' }],
    author: [{ $ref: 'ada', name: 'Ada', country: 'uk' }],
    genre: [{ $ref: 'essay', name: 'Essay' }],
    book: [
      {
        ...{ $ref: 'dawn', title: 'Dawn', author: 'ada', genres: ['essay'] },
        ...{ cover: { name: 'c.png' }, plates: [{ name: 'p.png' }] },
        sections: [{ __component: 'page.pick', title: 't', source: { place: 'p' } }],
      },
      { title: 'Dusk', author: 'ada', ledger: 'private' },
    ],
  })
  const heard = hearing()
  const { sql, logger } = keeping()
  let known: Served | undefined
  const served = (): Served =>
    (known ??= serve({
      ...{ permissions, logger, nestedPagination: true, query: { maxCost: Infinity } },
      ...heard.hooks,
    }))

  describe('what is told of a request', () => {
    it('is whose it was, how it ended, and what it took', async () => {
      const event = await heard.ask(served(), 'books?populate=genres', 'guest,public')
      expect(event).toMatchObject({
        ...{ type: 'api::book.book', action: 'find', outcome: 'answered', status: 200 },
        ...{ asker: { kind: 'roles', roles: ['guest', 'public'] }, rows: 2 + 1 },
        statements: heard.statements.length,
      })
      const { authorize, plan, wait, load, write } = event.stages
      const spent = authorize + plan + wait + load + write
      expect(event.stages.load).toBeGreaterThan(0)
      expect(event.ms).toBeGreaterThanOrEqual(spent)
    })

    it.each([
      ['books', 'api::book.book'],
      ['books?filters[title]=Dawn&sort=year:desc', 'api::book.book?filters=title&sort=year:desc'],
      [
        'books?filters[$or][0][author][name]=Ada&filters[$or][1][$not][year]=1&filters[author][name]=B&sort=author.name',
        'api::book.book?filters=author.name,year&sort=author.name',
      ],
      [
        'books?populate[author][populate]=country&populate[genres][filters][name]=x&populate[genres][sort]=name',
        'api::book.book?populate=author(populate=country),genres(filters=name&sort=name)',
      ],
      ['books?populate[notes][count]=true', 'api::book.book?populate=notes#'],
      ['authors?populate[books][pagination][pageSize]=1', 'api::author.author?populate=books…'],
      [
        'books?populate[sections][on][page.pick][populate]=source',
        'api::book.book?populate=sections(populate=source)',
      ],
      ['memos?locale=fr&publicationFilter=modified', 'api::memo.memo?filters=locale,publishedAt'],
      ['genres?_q=x', 'api::genre.genre?filters=name'],
    ])('is the shape of its plan, without values: %s', async (path, shape) => {
      expect((await heard.ask(served(), path)).shape?.text).toBe(shape)
    })

    it('is a tree of what is populated, with all that leads elsewhere', async () => {
      const { shape } = await heard.ask(served(), 'books?populate[author][sort]=name&populate[sections]=true')
      const [author, sections] = shape?.populate ?? []
      expect(author).toEqual({
        ...{ name: 'author', answer: 'entries', paged: false },
        targets: [{ type: 'api::author.author', filters: [], sort: ['name'], populate: [] }],
      })
      expect(sections?.targets.map(({ type }) => type)).toEqual(['page.prose', 'page.pick', 'page.gallery'])
    })

    it('holds nothing of what the role may not read', async () => {
      const event = await heard.ask(served(), 'books?populate=author.country,reviews', 'guest')
      expect(event.shape?.text).toBe('api::book.book?populate=reviews')
      expect(JSON.stringify([event, ...heard.statements])).not.toMatch(/author(?!ize)|countr/)
    })

    it.each([
      ['books?filters[nowhere]=1', undefined, 400, 'refused'],
      ['books?filters[ledger]=private', undefined, 400, 'refused'],
      ['authors', 'guest', 403, 'refused'],
      ['books', '', 401, 'refused'],
      ['books/none', undefined, 404, 'refused'],
    ])('is that %s is refused to %s', async (path, role, status, outcome) => {
      const event = await heard.ask(served(), path, role)
      expect(event).toMatchObject({
        status,
        outcome,
        asker: role === '' ? { kind: 'unknown' } : { kind: 'roles' },
      })
      expect(event.shape === null).toBe(status !== 404)
      expect(JSON.stringify(event)).not.toMatch(/nowhere|ledger|none/)
    })

    it('is told of HEAD and of one entry as well', async () => {
      const { documentId } = seeded().entry('book', 'dawn')
      expect(await heard.ask(served(), `books/${documentId}`)).toMatchObject({ action: 'findOne', rows: 1 })
      const head = await heard.after(() => request(served().app).head('/api/books'))
      expect(head).toMatchObject({ action: 'find', outcome: 'answered', status: 200 })
    })

    it('is that the client went away', async () => {
      const knex = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
      world.closing({ close: () => knex.destroy() })
      const busy = serve({ database: knex, permissions, ...heard.hooks })
      await heard.ask(busy, 'books')
      const pool = knex.client as {
        acquireConnection(): Promise<unknown>
        releaseConnection(connection: unknown): Promise<void>
      }
      const held = await pool.acquireConnection()
      const server = createServer({ keepAliveTimeout: 0 }, busy.app).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const event = await heard.after(async () => {
        const leaving = ask(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/api/books`)
        leaving.on('error', () => undefined)
        await once(server, 'request')
        leaving.destroy()
      })
      expect(event).toMatchObject({ outcome: 'abandoned', status: null, statements: 0 })
      await pool.releaseConnection(held)
      server.close()
    })
  })

  describe('what is told of statements', () => {
    it('is each that is sent, with its text, its rows and what it is there for', async () => {
      await heard.ask(served(), 'countries')
      sql.length = 0
      const { statements, rows } = await heard.ask(served(), 'books?populate=cover,plates,author.books')
      expect(heard.statements.map((one) => one.sql).sort()).toEqual([...sql].sort())
      expect(statements).toBe(sql.length)
      const counts = heard.statements.map((one) => (one.outcome === 'read' ? one.rows : NaN))
      expect(counts.reduce((all, count) => all + count, 0)).toBe(rows)
      const told = heard.statements.map(({ reads, of, paths }) => `${reads} ${of} ${paths.join()}`)
      expect(new Set(told)).toEqual(
        new Set([
          'entries api::book.book ',
          'entries plugin::upload.file cover,plates',
          'links api::author.author author',
          'entries api::book.book author.books',
        ]),
      )
      expect(heard.statements.map(({ type }) => type)).toEqual(sql.map(() => 'api::book.book'))
      expect(heard.statements.every(({ ms }) => ms > 0)).toBe(true)
    })

    it('is the total, where it is counted', async () => {
      await heard.ask(served(), 'books?filters[title][$notNull]=true&pagination[pageSize]=1')
      expect(heard.statements).toMatchObject([
        { reads: 'entries', table: 'books', rows: 1 },
        { reads: 'total', table: 'books', rows: 1 },
      ])
    })

    it('is also what deep conditions have to know first', async () => {
      sql.length = 0
      await heard.ask(served(), `authors?filters${'[books][author]'.repeat(9)}[name]=Ada`)
      expect(heard.statements.map((one) => one.sql).sort()).toEqual([...sql].sort())
      expect(heard.statements.map(({ reads }) => reads)).toContain('conditions')
    })

    it('is the code of what failed, and no message', async () => {
      const missing = serve({
        contentTypes: [...library, collection('ghost', { title: text })] as typeof library,
        permissions,
        ...heard.hooks,
      })
      const event = await heard.ask(missing, 'ghosts?filters[title]=canary')
      expect(event).toMatchObject({ outcome: 'failed', status: 500, statements: 1, rows: 0 })
      expect(heard.statements).toMatchObject([{ outcome: 'failed', of: 'api::ghost.ghost' }])
      const codes = { sqlite: 'SQLITE_ERROR', mysql: 'ER_NO_SUCH_TABLE', postgres: '42P01' }
      expect(heard.statements[0]).toHaveProperty('code', codes[database.dialect])
      expect(JSON.stringify(heard.statements)).not.toContain('canary')
    })
  })

  it('tells no hook a value of a request or of a row, wherever it stands', async () => {
    const all: unknown[] = []
    const paths = [
      'books?filters[title]=canary&filters[author][name][$in]=canary&_q=canary',
      'books?filters[canary]=1',
      'books?populate[canary]=true',
      'books?populate[author][populate][canary]=true',
      'books?populate[author][filters][canary]=true&fields=title',
      'books?sort=canary',
      'memos?locale=canary',
      'books/canary',
      'books?canary=canary',
    ]
    for (const path of paths) {
      for (const role of ['public', 'guest'])
        all.push(await heard.ask(served(), path, role), ...heard.statements)
    }
    expect(all.length).toBeGreaterThan(2 * paths.length)
    expect(JSON.stringify(all)).not.toMatch(/canary|Dawn|Ada/)
  })
})
