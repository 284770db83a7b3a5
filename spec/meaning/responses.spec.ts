import { once } from 'node:events'
import { get } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { brotliDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import type { ContentRouterConfig } from '../../lib'
import type { Form } from '../../lib/sql'
import { encode, joinedBytes } from '../../lib/json'
import { valueMaker } from '../../lib/json/entry-maker'
import { valueWriter } from '../../lib/json/value-writer'
import { serveCached } from '../support/cached'
import { onSqlite } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'
import { firstSeed, runs } from '../support/property-runs'
import { type Entry, stocked } from '../support/served'
import { whileItHolds } from '../support/tags'
import { serveTurning } from '../support/turns'
import { watchingSql } from '../support/watching'

const last = 8.64e15
const instants = fc.oneof(
  fc.integer({ min: -last, max: last }),
  fc.integer({ min: 1_500_000_000_000, max: 1_500_000_200_000 }),
  fc.double({ min: -100_000, max: 100_000, noNaN: true }),
  fc.constantFrom(-last, last, 0, -1, 253_402_300_800_000),
)

describe('an instant', () => {
  it('is written as Date writes it, whichever was written before', () => {
    const write = valueWriter('milliseconds', 'stored')
    fc.assert(
      fc.property(fc.array(instants), (all) => {
        for (const one of all) expect(write(one)).toBe(JSON.stringify(new Date(one)))
      }),
      { seed: firstSeed, numRuns: runs(100) },
    )
  })

  it('is null if Date has no such day, also behind a valid one', () => {
    const write = valueWriter('milliseconds', 'stored')
    for (const none of [last + 1, -last - 1, NaN, Infinity, 'yesterday']) {
      write(Math.sign(Number(none)) * last)
      expect(write(none)).toBe('null')
    }
  })

  it('is written for more days than are cached', () => {
    const write = valueWriter('milliseconds', 'stored')
    const days = Array.from({ length: 10_000 }, (_, day) => day * 86_400_000 + 1)
    expect(days.map(write)).toEqual(days.map((day) => JSON.stringify(new Date(day))))
  })
})

describe('a text', () => {
  it('is written as JSON.stringify writes it', () => {
    const write = valueWriter('text', 'stored')
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.string({ minLength: 40, maxLength: 60 }),
    )
    const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes))
    fc.assert(
      fc.property(fc.oneof(texts, units), (text) => {
        expect(write(text)).toBe(JSON.stringify(text))
      }),
      { seed: firstSeed, numRuns: runs(100) },
    )
  })

  it('is escaped for every character, alone and at the end', () => {
    const write = valueWriter('text', 'stored')
    for (let code = 0; code < 0x10000; code += 1) {
      const text = String.fromCharCode(code)
      if (write(text) !== JSON.stringify(text) || write(`a${text}`) !== JSON.stringify(`a${text}`))
        throw new Error(`the character ${String(code)} is written otherwise`)
    }
    expect(write('\n')).toBe('"\\n"')
  })
})

describe('a value for reads in the process', () => {
  const dates = ['2012-01-13 12:12:36.852000', '2012-01-13 12:12:36', '13:59:01.5', '2012-01-13']
  const jsons = [
    '{"a":[1,"ü\\n"]}',
    '[]',
    '"text"',
    '"\\"1\\""',
    'null',
    '-0',
    '1e400',
    '\u0001{',
    'no JSON',
    '',
  ]
  const numbers = [0, -0, 1, 0.1, 2 ** 53, 2 ** 60, 1e21, 5e-324, NaN, Infinity, '14.00', '007', 'x']
  const others = ['a "quoted" \ud800 text', 'f', 't', '1', true, { a: [null] }, new Date(0)]
  const forms: Readonly<Record<Form, readonly unknown[]>> = {
    ...{
      text: [...others, ...jsons, ...numbers],
      plain: ['123', ...dates],
      day: [...dates, '2024-00-00', 'x'],
    },
    ...{
      number: numbers.slice(0, 10),
      numeric: numbers,
      storedNumber: [...numbers, ...jsons],
      stamp: numbers,
    },
    ...{ bit: [0, 1, '0', '1', true], storedBit: [0, 1, '0', 'no'], letter: ['t', 'f'] },
    ...{
      milliseconds: numbers,
      instant: dates.slice(0, 2),
      storedInstant: [...dates.slice(0, 2), '2024-02-31 00:00:00'],
      clock: ['13:59:01.5', '13:59:01'],
    },
    ...{ json: jsons.slice(0, 6), typedJson: jsons.slice(0, 6) },
    ...{ checkedJson: jsons, markedJson: jsons.slice(0, 6).concat('\u0001no JSON') },
  }
  const cases = Object.entries(forms).flatMap(([form, values]) =>
    (['stored', 'strapi'] as const).map((reading) => [form as Form, reading, values] as const),
  )

  it.each(cases)('equals the parsed JSON of a %s, read as %s', (form, reading, values) => {
    const write = valueWriter(form, reading)
    const make = valueMaker(form, reading)
    for (const value of values) expect(make(value)).toEqual(JSON.parse(write(value)))
  })
})

describe('a boolean that SQLite stores as text', () => {
  it.each([
    ['strapi', { '1': 'true', '0': 'false', true: 'null', no: 'null' }],
    ['stored', { '1': '"1"', '0': '"0"', true: '"true"', no: '"no"' }],
  ] as const)('is written as %s', (reading, written) => {
    const write = valueWriter('storedBit', reading)
    for (const [text, expected] of Object.entries(written))
      expect([text, write(text)]).toEqual([text, expected])
  })
})

describe('the bytes of a body', () => {
  const texts = fc.array(
    fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      // Letters of one to four bytes.
      fc
        .tuple(fc.constantFrom('a', 'é', '…', '😀'), fc.integer({ min: 1, max: 300_000 }))
        .map(([letter, length]) => letter.repeat(length)),
    ),
    { maxLength: 12 },
  )

  async function encoded(parts: readonly string[]): Promise<Buffer> {
    const bytes = await encode(parts, () => setImmediate())
    const whole = joinedBytes(bytes)
    expect(whole).toHaveLength(bytes.length)
    return whole
  }

  it('are its parts in UTF-8', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (parts) => {
        expect((await encoded(parts)).equals(Buffer.from(parts.join('')))).toBe(true)
      }),
      { seed: firstSeed, numRuns: runs(50) },
    )
  })

  it('never contain those of a body that is encoded at the same time', async () => {
    const letters = ['a', 'é', '…', '😀', 'z']
    const bodies = letters.map((letter) => Array.from({ length: 250 }, () => letter.repeat(3_000)))
    const found = await Promise.all(bodies.map(encoded))
    const ownAlone = found.map((bytes, index) => bytes.equals(Buffer.from(bodies[index]?.join('') ?? '')))
    expect(ownAlone).toEqual(letters.map(() => true))
  })

  it('never contain those of a body that failed before', async () => {
    const broken = function* (): Iterable<string> {
      yield 'secret'.repeat(2_000)
      throw new Error('broken')
    }
    await expect(encode(broken(), () => setImmediate())).rejects.toThrow('broken')
    expect((await encoded(['{"data":[]}'])).toString()).toBe('{"data":[]}')
  })
})

onSqlite((database) => {
  describe('large lists inside populate', () => {
    type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

    const crowd = [
      collection('folder', { place: integer, papers: relation('manyToMany', 'paper') }),
      collection('paper', { place: integer, body: { type: 'text' } }),
      collection('node', { place: integer, next: relation('manyToMany', 'node') }),
    ] as unknown as Definitions

    const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

    const folders = 100
    const papersEach = 20
    /** Folder 3 begins with paper 79 and ends with paper 60: not the order of ids. */
    const papersOf = (folder: number): number[] =>
      range(papersEach).map((place) => folder * papersEach + papersEach - 1 - place)

    const nodes = 25
    const nextOf = (node: number): number[] => [1, 2, 3].map((step) => (node * 2 + step) % nodes)

    /** From node 0 on to the first of the next ones. */
    const chain = range(30).reduce<number[]>((known) => [...known, nextOf(known.at(-1) ?? 0)[0] ?? 0], [])

    function treeBelow(node: number, levels: number): object {
      return levels === 0
        ? { place: node }
        : { place: node, next: nextOf(node).map((one) => treeBelow(one, levels - 1)) }
    }

    function placesIn(node: unknown): object {
      const { place, next } = node as { place: number; next?: unknown[] }
      return next === undefined ? { place } : { place, next: next.map(placesIn) }
    }

    const { serve, world } = stocked(database, crowd, {
      paper: range(folders * papersEach).map((place) => ({ $ref: `p${String(place)}`, place })),
      folder: range(folders).map((place) => ({
        place,
        papers: papersOf(place).map((paper) => `p${String(paper)}`),
      })),
      node: range(nodes).map((place) => ({
        $ref: `n${String(place)}`,
        place,
        next: nextOf(place).map((node) => `n${String(node)}`),
      })),
    })

    it('show two thousand linked entries, each with its parent', async () => {
      const query = 'populate[papers][fields]=place&pagination[pageSize]=100'
      const entries = await serve().list(`folders?${query}`)
      const found = entries.map(({ papers }) => (papers as Entry[]).map(({ place }) => place))
      expect(found).toEqual(range(folders).map(papersOf))
    })

    it('sort linked entries for each parent', async () => {
      const query =
        'populate[papers][fields]=place&populate[papers][sort]=place&populate[papers][filters][place][$gte]=1000'
      const entries = await serve().list(`folders?${query}&pagination[pageSize]=100`)
      const found = entries.map(({ papers }) => (papers as Entry[]).map(({ place }) => place))
      const expected = range(folders).map((folder) =>
        [...papersOf(folder)].reverse().filter((place) => place >= 1000),
      )
      expect(found).toEqual(expected)
    })

    it('keep the sort across more linked entries than one statement reads', async () => {
      const many = range(10_050)
      const id = (row: number): number => 1_000_000 + row
      const { knex } = world
      const document = { document_id: 'heap', published_at: new Date() }
      const papers = many.map((row) => ({ ...document, id: id(row), place: many.length - row }))
      const links = many.map((row) => ({ folder_id: id(0), paper_id: id(row), paper_ord: row }))
      await knex('folders').insert({ ...document, id: id(0), place: -1 })
      await knex.batchInsert('papers', papers, 400)
      await knex.batchInsert('folders_papers_lnk', links, 400)
      // Short columns are read with the links, a long text by the ids of the links.
      for (const fields of ['&populate[papers][fields]=place', '']) {
        const [entry] = await serve().list(`folders?filters[place]=-1&populate[papers][sort]=place${fields}`)
        expect((entry?.['papers'] as Entry[]).map(({ place }) => place)).toEqual(many.map((row) => row + 1))
      }
    })

    it('show lists six levels deep', async () => {
      const query = `populate=${Array(6).fill('next').join('.')}`
      const generous = serve({ query: { maxEntries: 20_000 } })
      const entries = await generous.list(`nodes?${query}&pagination[pageSize]=10`)
      expect(entries.map(placesIn)).toEqual(range(10).map((node) => treeBelow(node, 6)))
    })

    it('show a chain of thirty levels', async () => {
      const filter = 'filters[place]=0&pagination[pageSize]=1'
      const limits = range(30)
        .map(
          (depth) =>
            `populate${'[next][populate]'.repeat(depth)}[next][filters][place]=${String(chain[depth])}`,
        )
        .join('&')
      const [entry] = await serve().list(`nodes?${filter}&${limits}`)
      const found: unknown[] = []
      let place: Entry | undefined = entry
      while (place !== undefined) {
        found.push(place['place'])
        place = (place['next'] as Entry[] | undefined)?.[0]
      }
      expect(found).toEqual([0, ...chain])
    })
  })

  describe('a body of several megabytes', () => {
    const types = [
      collection('author', {
        name: text,
        articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
      }),
      collection('article', {
        title: text,
        body: { type: 'text' },
        author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
      }),
    ] as unknown as ContentRouterConfig['contentTypes']

    /** Characters of one to four bytes, and some that JSON escapes, each time at another offset. */
    const bodyOf = (number: number): string => 'x'.repeat(number) + 'é"ß\n€ 😀 '.repeat(9000)

    const numbers = [...Array(40).keys()]
    const written = numbers.map((number) => ({ title: `number ${String(number)}`, body: bodyOf(number) }))

    interface Article {
      readonly title: string
      readonly body: string
    }

    const byLength = (articles: readonly Article[]): Article[] =>
      articles
        .map(({ title, body }) => ({ title, body }))
        .sort((one, other) => one.body.length - other.body.length)

    const path = '/api/authors?populate=articles'
    const whole = '/api/articles?pagination[pageSize]=100'
    const { world } = stocked(database, types, {
      author: [{ $ref: 'ada', name: 'Ada' }],
      article: written.map((article) => ({ ...article, author: 'ada' })),
    })
    const options = { contentTypes: types }
    const place = { world, dialect: database.dialect }

    it.each([
      ['of one entry that shows many', path],
      ['of many entries', whole],
    ])('%s is valid JSON of the announced length', async (_what, asked) => {
      const { ask } = await serveTurning(world, options)
      const { status, headers, body, bytes } = await ask(asked)
      expect(status).toBe(200)
      expect(headers['content-length']).toBe(String(bytes.length))
      expect(bytes.length).toBeGreaterThan(4_000_000)
      const { data } = JSON.parse(body) as { data: readonly Record<string, unknown>[] }
      const articles = asked === path ? data[0]?.['articles'] : data
      expect(byLength(articles as Article[])).toEqual(written)
      expect(JSON.stringify(JSON.parse(body))).toBe(body)
    })

    it('has the same length and ETag for HEAD', async () => {
      const cached = await serveCached(place, { ...options, etag: true })
      const asked = 'authors?populate=articles'
      await whileItHolds(cached.get, asked, async (etag) => {
        const { headers } = await cached.get(asked)
        const announced = await cached.head(asked)
        expect(announced.bytes).toHaveLength(0)
        expect(announced.headers).toMatchObject({ 'content-length': headers['content-length'], etag })
        const { status } = await cached.get(asked, 'public', { 'if-none-match': etag })
        expect(status).toBe(304)
      })
    })

    it('is the same from the cache, and compressed', async () => {
      const fresh = await (await serveTurning(world, options)).ask(path)
      const cached = await serveCached(place, { ...options, cache: { compress: true } })
      const asked = 'authors?populate=articles'
      await whileItHolds(cached.get, asked, async () => {
        const kept = await cached.kept(asked)
        expect(kept.bytes.equals(fresh.bytes)).toBe(true)
        const { hits } = cached.router.cache.stats()
        const { headers, bytes } = await cached.get(asked, 'public', { 'accept-encoding': 'br' })
        expect(headers['content-encoding']).toBe('br')
        expect(cached.router.cache.stats().hits).toBe(hits + 1)
        expect(brotliDecompressSync(bytes).equals(fresh.bytes)).toBe(true)
      })
    })

    it.each([path, whole])('is written in several turns of the event loop: %s', async (asked) => {
      const { turnsOf } = await serveTurning(world, options)
      expect(await turnsOf(asked)).toBeGreaterThanOrEqual(6)
    })

    it('does not block another request', async () => {
      const order: string[] = []
      const { ask, afterStatements } = await serveTurning(world, options, (event) => order.push(event))
      const { body } = await ask('/ping')
      expect(body).toBe('pong')
      let pong: Promise<unknown> = Promise.resolve()
      afterStatements(2, () => {
        pong = ask('/ping')
      })
      await ask(path)
      await pong
      expect(order).toEqual(['ping', 'ping', 'sent'])
    })

    it('is not completed or cached for a client that disconnects', async () => {
      const read = { statements: 0, call: (): void => undefined }
      const counting = watchingSql(() => {
        read.statements += 1
        if (read.statements === 2) read.call()
      })
      const cached = await serveCached(place, { ...options, extensions: [counting] })
      await cached.kept('articles?fields=title')
      const { entries } = cached.router.cache.stats()
      read.statements = 0
      const asking = get(cached.origin + path)
      const gone = once(asking, 'error')
      read.call = () => {
        asking.destroy(new Error('gone'))
      }
      await gone
      for (let turns = 0; turns < 100; turns += 1) await setImmediate()
      expect(cached.router.cache.stats().entries).toBe(entries)
      await cached.kept('authors?populate=articles')
      expect(cached.router.cache.stats().entries).toBe(entries + 1)
    })

    it('is written in several turns, but a small one in a single turn', async () => {
      const { turnsOf } = await serveTurning(world, options)
      expect(await turnsOf('/api/authors?populate[articles][fields]=title')).toBe(0)
    })
  })
})
