import { setTimeout as pause } from 'node:timers/promises'
import { get as send, type ClientRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { listExports, type ExportOptions } from '../../../extensions/export'
import { ConfigError, contentRouter, type ContentRouter, type Grant } from '../../../lib'
import { makeDeadline } from '../../../lib/read'
import { askerOf } from '../../support/asker'
import { onSqlite } from '../../support/databases'
import { keeping } from '../../support/hearing'
import { collection, library } from '../../support/library'
import { type Entry, roleHeader, type Served, stocked } from '../../support/served'

const permissions: Readonly<Record<string, Grant>> = {
  public: { find: '*', export: '*' },
  reader: { find: '*' },
  ofBooks: { find: '*', export: ['book'] },
  denied: { find: '*', export: { book: false } },
  unread: { export: '*' },
  few: { find: '*', export: { book: { maxRows: 2 } } },
  fewer: { find: '*', export: { book: { maxRows: 1 } } },
  late: {
    find: {
      book: { where: { year: { $gte: 2000 } }, fields: ['title', 'year', 'author'] },
      author: { where: { name: { $ne: 'Bo' } }, fields: ['name', 'books'] },
    },
    export: ['book', 'author'],
  },
  own: { find: { book: { where: { title: { $asker: 'title' } } } }, export: ['book'] },
  editor: { find: '*', drafts: '*', export: '*' },
}

/** More than the buffers of a connection hold. */
const letters = 4000

const types = [
  ...(library as readonly object[]),
  collection('letter', { body: { type: 'text' } }),
] as unknown as Parameters<typeof stocked>[1]

const content = {
  author: [
    { $ref: 'ada', name: 'Ada', age: 30 },
    { $ref: 'bo', name: 'Bo', age: 40 },
  ],
  book: [
    { title: 'Dawn', year: 1990, ledger: 'x', author: 'ada' },
    { title: 'Dusk', year: 2001, ledger: 'y', author: 'ada' },
    { title: 'Noon', year: 2001, ledger: 'x', author: 'bo', $draft: { title: 'Midday' } },
    { title: 'Night', year: 2005, ledger: 'x' },
    { title: 'Sketch', year: 2030, author: 'ada', $status: 'draft' },
  ],
}

onSqlite((database) => {
  const { serve, world } = stocked(database, types, content)
  const served = (options: object = {}): Served =>
    serve({
      permissions,
      extensions: [listExports()],
      role: (req) => ({ roles: (req.get(roleHeader) ?? 'public').split(','), asker: { title: 'Night' } }),
      ...options,
    })
  let common: Served | undefined

  beforeAll(async () => {
    const numbers = 'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?)'
    const rows = `${numbers} select n, 'l' || n, hex(zeroblob(2500)), 0 from numbers`
    await world.knex.raw(`insert into letters (id, document_id, body, published_at) ${rows}`, [letters])
  })
  const api = (): Served => (common ??= served())
  const exported = async (query: string, role = 'public', path = 'books'): Promise<Entry[]> => {
    const { status, text } = await api().get(`${path}/export?${query}`, role)
    expect([status, status === 200 ? '' : text]).toEqual([200, ''])
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Entry)
  }

  describe('the grant', () => {
    it.each(['reader', 'denied', 'unread'])('is required: %s', async (role) => {
      for (const query of ['', '?format=nope', '?filters[nope]=1'])
        expect((await api().get(`books/export${query}`, role)).status).toBe(403)
    })

    it('is one for each type', async () => {
      expect((await api().get('books/export', 'ofBooks')).status).toBe(200)
      expect((await api().get('authors/export', 'ofBooks')).status).toBe(403)
    })

    it('is needed for the exported type alone, and find for populated types', async () => {
      expect(await exported('populate=author&filters[title]=Dawn', 'ofBooks')).toMatchObject([
        { author: { name: 'Ada' } },
      ])
    })

    it('can limit the entries, by the largest limit of the roles', async () => {
      const message = 'The export would contain more than 2 entries; the option maxRows sets this limit'
      expect(await api().refusal('books/export', 'few')).toEqual({ message, path: 'pagination' })
      expect(await api().refusal('books/export?pagination[start]=1', 'few,fewer')).toEqual({
        message,
        path: 'pagination',
      })
      expect(await exported('pagination[start]=2&fields=title', 'few')).toHaveLength(2)
      expect(await exported('pagination[limit]=2', 'few')).toHaveLength(2)
      expect((await api().refusal('books/export?pagination[limit]=2', 'fewer')).path).toBe('pagination')
      expect(await exported('', 'few,ofBooks')).toHaveLength(4)
    })

    const faultsOf = (grant: object, extensions = [listExports()]): unknown => {
      const given = { contentTypes: types, database: world.config, logger: false, extensions } as const
      try {
        contentRouter({ ...given, permissions: { public: grant } })
      } catch (error) {
        if (error instanceof ConfigError) return error.faults
        throw error
      }
      throw new Error('the config is accepted')
    }

    it('is unknown without the extension', () => {
      expect(faultsOf({ find: '*', export: '*' }, [])).toMatchObject([
        {
          where: 'permissions.public.export',
          problem: 'export is not an action, and no extension defines export',
        },
      ])
    })

    it.each([{}, { maxRows: 0 }, { maxRows: 1.5 }, { maxRows: '5' }, { maxRows: 5, where: {} }])(
      'has its faults reported at the start: %j',
      (grant) => {
        expect(faultsOf({ find: '*', export: { book: grant } })).toMatchObject([
          {
            where: 'permissions.public.export.book',
            problem: 'a grant must be true, false or { maxRows: 1000 } with a positive integer',
          },
        ])
      },
    )

    it.each([
      [{ maxExports: 0 }, 'listExports.maxExports'],
      [{ maxExports: '2' }, 'listExports.maxExports'],
      [{ maxRows: -1 }, 'listExports.maxRows'],
      [{ snapshot: 'yes' }, 'listExports.snapshot'],
      [{ escapeFormulas: 1 }, 'listExports.escapeFormulas'],
      [{ snapshots: true }, 'listExports.snapshots'],
    ])('and so are those of the options: %j', (options, where) => {
      expect(faultsOf({ find: '*' }, [listExports(options as ExportOptions)])).toMatchObject([{ where }])
    })
  })

  describe('rights of lists', () => {
    it('select the entries and attributes', async () => {
      const entries = await exported('populate=author&sort=title', 'late')
      expect(
        entries.map(({ title, year, author }) => [title, year, (author as Entry | null)?.['name']]),
      ).toEqual([
        ['Dusk', 2001, 'Ada'],
        ['Night', 2005, undefined],
        ['Noon', 2001, undefined],
      ])
      expect(Object.keys(entries[0] ?? {})).toEqual(['id', 'documentId', 'title', 'year', 'author'])
      expect(await exported('fields=title', 'own')).toMatchObject([{ title: 'Night' }])
    })

    it('are those of the CSV', async () => {
      const { text } = await api().get('books/export?format=csv&populate=author', 'late')
      const head = 'id,documentId,title,year,author.id,author.documentId,author.name'
      expect(text.split('\r\n')[0]).toBe(head)
      expect(text).not.toContain('1990')
      expect(text).not.toContain('Bo')
    })

    it('exclude drafts', async () => {
      expect((await exported('sort=title')).map(({ title }) => title)).toEqual([
        'Dawn',
        'Dusk',
        'Night',
        'Noon',
      ])
      expect((await api().get('books/export?status=draft')).status).toBe(403)
      const drafts = await exported('status=draft&sort=title', 'editor')
      expect(drafts.map(({ title }) => title)).toEqual(['Dawn', 'Dusk', 'Midday', 'Night', 'Sketch'])
    })

    it('hide private attributes', async () => {
      const { text } = await api().get('books/export?populate=*')
      expect(text).not.toContain('ledger')
    })

    it.each([
      ['filters[ledger]=x', 'filters[ledgar]=x'],
      ['sort=ledger', 'sort=ledgar'],
      ['fields=ledger', 'fields=ledgar'],
      ['populate=ledger', 'populate=ledgar'],
    ])('report a hidden name as an unknown one: %s', async (hidden, unknown) => {
      const [one, other] = await Promise.all(
        [hidden, unknown].map((query) => api().get(`books/export?${query}`)),
      )
      expect([one?.status, one?.text.replaceAll('ledger', 'ledgar')]).toEqual([400, other?.text])
    })
  })

  it('is no path without the extension, and none of reads in the process', async () => {
    expect((await serve({ permissions: { public: { find: '*' } } }).get('books/export')).status).toBe(404)
    const router: ContentRouter = world.closing(
      contentRouter({
        ...{ contentTypes: types, database: world.config, logger: false },
        ...{ permissions, extensions: [listExports()] },
      }),
    )
    await expect(router.as('public').read('books', 'export')).rejects.toMatchObject({ status: 404 })
  })

  describe('a slow client', () => {
    interface Slow {
      readonly request: ClientRequest
      readonly response: IncomingMessage
    }

    /** Reads the headers and no more, so that the server has to wait. */
    const open = async (app: Served['app'], path = '/api/letters/export'): Promise<Slow> => {
      const { origin } = world.closing(await askerOf(app))
      const request = send(`${origin}${path}`)
      request.on('error', () => undefined)
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return { request, response }
    }

    const readAll = async (response: IncomingMessage): Promise<string> => {
      let text = ''
      response.setEncoding('utf8')
      for await (const part of response) text += String(part)
      return text
    }

    const untilFree = async (get: Served['get']): Promise<void> => {
      for (let tries = 0; (await get('books/export')).status !== 200; tries += 1) {
        if (tries === 50) throw new Error('no export has ended')
        await pause(50)
      }
    }

    it('occupies one of the exports until it leaves', async () => {
      const { app, get } = served({ extensions: [listExports({ maxExports: 1 })] })
      const { request, response } = await open(app)
      expect(response.statusCode).toBe(200)
      const refused = await get('books/export')
      expect([refused.status, refused.headers['retry-after'], refused.body]).toEqual([
        503,
        '1',
        {
          data: null,
          error: {
            ...{ status: 503, name: 'ServiceUnavailableError', message: 'Too many exports are running' },
            details: {},
          },
        },
      ])
      expect((await get('books')).status).toBe(200)
      request.destroy()
      await untilFree(get)
    })

    it('has the whole timeout again after each progress', async () => {
      const stop = makeDeadline(400)
      await pause(250)
      stop.renew()
      await pause(250)
      expect(stop.isStopped()).toBe(false)
      await expect(stop.stopped).rejects.toMatchObject({ reason: 'timeout' })
    })

    it('gets an incomplete response if it makes none before the timeout', async () => {
      const { logger } = keeping()
      const { app, get } = served({ timeout: 300, logger, extensions: [listExports({ maxExports: 1 })] })
      const { response } = await open(app)
      await pause(600)
      await expect(readAll(response)).rejects.toMatchObject({ code: 'ECONNRESET' })
      await untilFree(get)
    })

    it('is no failure to log when it leaves', async () => {
      const { logger, errors, warnings } = keeping()
      const snapshots = [true, false].map((snapshot) => listExports({ snapshot }))
      for (const extension of snapshots) {
        const { app } = served({ logger, extensions: [extension] })
        const { request } = await open(app)
        request.destroy()
        await pause(500)
        // An open snapshot would lock the database.
        await world.knex('letters').where('id', 1).update({ body: 'changed' })
      }
      expect([errors, warnings]).toEqual([[], []])
    })

    it('sees a failure of the database as an incomplete response, and the log has it', async () => {
      const { logger, errors } = keeping()
      const { app } = served({ logger, extensions: [listExports({ snapshot: false })] })
      const { response } = await open(app)
      await world.knex.schema.renameTable('letters', 'elsewhere')
      try {
        await expect(readAll(response)).rejects.toMatchObject({ code: 'ECONNRESET' })
      } finally {
        await world.knex.schema.renameTable('elsewhere', 'letters')
      }
      expect(errors).toMatchObject([{ message: 'the tables do not match the definitions' }])
    })
  })
})
