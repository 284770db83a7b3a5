import express from 'express'
import { search } from '../../../extensions/search'
import { seed } from '../../../extensions/seed'
import { contentRouter, migrate } from '../../../lib'
import { type Asker, askerOf } from '../../support/asker'
import { eachDatabase } from '../../support/databases'
import { textContent, textTypes } from './texts'

// Each database has its own index of words: the same query must find the same entries in the same order.

interface Body {
  readonly data: readonly { readonly id: number; readonly title: string }[]
  readonly meta: {
    readonly pagination: Readonly<Record<string, unknown>>
    readonly search?: { readonly ignored: readonly string[]; readonly highlights?: Record<string, object> }
  }
  readonly error?: { readonly message: string; readonly details: { readonly path?: string } }
}

eachDatabase((database) => {
  const world = database.fresh()
  let asker: Asker
  const isMysql = database.dialect === 'mysql'

  beforeAll(async () => {
    const config = {
      ...{ contentTypes: textTypes, database: world.config, logger: false as const },
      extensions: [search({ article: { title: 3, body: 1 } })],
    }
    await migrate(config)
    await seed(config, textContent)
    const router = world.closing(
      contentRouter({ ...config, permissions: { public: { find: '*', drafts: '*' } } }),
    )
    await router.ready()
    asker = world.closing(await askerOf(express().use('/api', router)))
  }, 120_000)

  const get = async (query: string): Promise<Body> => {
    const { body } = await asker.ask(`/api/articles?${query}`)
    const found = JSON.parse(body) as Body
    if (found.error !== undefined) throw new Error(JSON.stringify(found.error))
    return found
  }
  const titles = async (query: string): Promise<readonly string[]> => {
    const { data } = await get(query)
    return data.map(({ title }) => title)
  }

  it.each([
    [
      'a word, by the weights of the attributes',
      'rust',
      ['Rust never sleeps', 'Rust and oxygen', 'Rusty nails', 'Systems language'],
    ],
    ['a word in any case', 'RUST AND', ['Rust and oxygen']],
    ['a word without its accents', 'creme brulee', ['Crème brûlée']],
    ['a word with its accents', 'Crème', ['Crème brûlée']],
    ['words of other scripts', 'буквы дож', ['Кириллица и буквы']],
    ['words in different attributes', 'rust iron', ['Rust and oxygen']],
    ['no beginning of a word that is not the last', 'rus never', []],
    ['the beginning of the last word', 'never slee', ['Rust never sleeps']],
    ['the beginning of the last word before signs', 'never slee - ""', ['Rust never sleeps']],
    ['a phrase', '"rust never"', ['Rust never sleeps']],
    ['no phrase in another order', '"never rust"', []],
    ['no beginning of a phrase', '"rust neve"', []],
    ['a phrase beside a word', '"run fast" rust', ['Systems language']],
    ['words without an excluded one', 'rust -song -systems', ['Rust and oxygen']],
    [
      'words without an excluded phrase',
      'rust -"old barn"',
      ['Rust never sleeps', 'Rust and oxygen', 'Systems language'],
    ],
    ['all others without an excluded word', '-rust -barn -song -bridges -dessert', ['Кириллица и буквы']],
    ['words between other signs', '(steel) & +stone*; wood', ['Bridges']],
    ['words of a quote that does not end', 'song "about rust', ['Rust never sleeps']],
    ['nothing with a word that no entry has', 'rust zebra', []],
    ['nothing without words', '!!!', []],
  ])('finds %s: %s', async (_name, text, found) => {
    expect(await titles(`_q=${encodeURIComponent(text)}`)).toEqual(found)
  })

  it.each([
    ...[
      '\u0301',
      '⑴',
      '½',
      'ﷺ',
      "'",
      "o'",
      '"',
      '-',
      '--',
      '*',
      '"*"',
      '\\',
      '%',
      '@@',
      '~a',
      'a'.repeat(3000),
    ],
    ...['"' + 'a'.repeat(3000) + ' b"', '-*', '<->', '| & !', '{title} : x', 'NEAR(a b)', 'x AND NOT y'],
  ])('takes any text: %s', async (text) => {
    expect(await titles(`_q=zebra ${text}`.replace(/ .*/su, (rest) => encodeURIComponent(rest)))).toEqual([])
    expect((await get(`_q=${encodeURIComponent(text)}`)).data.length).toBeLessThan(8)
  })

  it('applies filters, locale, status, sort and pages to what it found', async () => {
    expect(await titles('_q=rust&filters[author][name]=Ada')).toEqual(['Rust and oxygen', 'Rusty nails'])
    expect(await titles('_q=rost&locale=de')).toEqual(['Brücken'])
    expect(await titles('_q=rost')).toEqual([])
    expect(await titles('_q=unfinished&status=draft')).toEqual(['Unfinished rust'])
    expect(await titles('_q=rust&sort=views:desc')).toEqual([
      ...['Rust never sleeps', 'Rusty nails', 'Systems language', 'Rust and oxygen'],
    ])
    expect(await titles('_q=rust&sort=_rank:desc,views')).toEqual([
      ...['Systems language', 'Rusty nails', 'Rust and oxygen', 'Rust never sleeps'],
    ])
    const { data, meta } = await get('_q=rust&pagination[page]=2&pagination[pageSize]=3&populate=author')
    expect(data).toMatchObject([{ title: 'Systems language', author: { name: 'Bo' } }])
    expect(meta.pagination).toEqual({ page: 2, pageSize: 3, pageCount: 2, total: 4 })
  })

  it('pages by keys', async () => {
    const found: string[] = []
    let after = ''
    for (let turn = 0; turn < 4; turn += 1) {
      const { data, meta } = await get(`_q=rust&pagination[pageSize]=1&pagination[after]=${after}`)
      found.push(...data.map(({ title }) => title))
      after = encodeURIComponent(String(meta.pagination['endCursor']))
    }
    expect(found).toEqual(await titles('_q=rust'))
  })

  it('finds what was written, changed and removed later', async () => {
    const { knex } = world
    const row = { document_id: 'later', locale: 'en', published_at: new Date(0), title: 'Zeppelin' }
    await knex('articles').insert(row)
    expect(await titles('_q=zeppelin')).toEqual(['Zeppelin'])
    await knex('articles').where({ document_id: 'later' }).update({ title: 'Airship' })
    expect([await titles('_q=zeppelin'), await titles('_q=airship')]).toEqual([[], ['Airship']])
    await knex('articles').where({ document_id: 'later' }).delete()
    expect(await titles('_q=airship')).toEqual([])
  })

  it('names the words that the index lacks', async () => {
    const { meta } = await get('_q=the%20rust%20in%20it%20rain')
    expect(meta.search).toEqual({ ignored: isMysql ? ['the', 'in', 'it'] : [] })
    expect(await titles('_q=the%20rain%20in%20rust')).toEqual(['Rust and oxygen'])
  })

  it('marks hits in fragments', async () => {
    const { data, meta } = await get('_q=creme%20sug&highlight=title,body')
    const [id = 0] = data.map((entry) => entry.id)
    expect(meta.search).toEqual({
      ignored: [],
      highlights: {
        [id]: { title: '<mark>Crème</mark> brûlée', body: 'A dessert with a crust of <mark>sugar</mark>.' },
      },
    })
  })

  it('has highlights and points for each locale of a document', async () => {
    const { data, meta } = await get('_q=st&locale=*&highlight=title,body&ranks=true&fields=title')
    const of = (title: string): number => data.find((entry) => entry.title === title)?.id ?? 0
    expect(meta.search).toEqual({
      ignored: [],
      ranks: { [of('Bridges')]: 1, [of('Brücken')]: 1 },
      highlights: {
        [of('Bridges')]: { body: '<mark>Steel</mark>, <mark>stone</mark>; and wood-work.' },
        [of('Brücken')]: { body: '<mark>Stahl</mark> gegen Rost und Regen.' },
      },
    })
  })

  it('is ready only with its indexes', async () => {
    const other = search({ article: { title: 1, note: 1 } })
    const config = {
      contentTypes: textTypes,
      database: world.config,
      logger: false,
      extensions: [other],
    } as const
    const router = world.closing(contentRouter({ ...config, permissions: { public: { find: '*' } } }))
    await expect(router.ready()).rejects.toThrow(
      'articles: the search index is missing or incomplete (run content-router search-index with the config of the router)',
    )
    const { statements } = await migrate(config, { dryRun: true })
    expect(statements.length).toBeGreaterThan(0)
    expect(statements.join('\n')).toContain('note')
  })
})
