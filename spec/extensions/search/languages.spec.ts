import express from 'express'
import { search, type SearchLanguages } from '../../../extensions/search'
import { seed } from '../../../extensions/seed'
import { type ContentRouterConfig, contentRouter, migrate } from '../../../lib'
import { runSearchIndex } from '../../../tools/command/run-search-index'
import { type Asker, askerOf } from '../../support/asker'
import { describeOn, testDatabase } from '../../support/databases'
import { collection, text } from '../../support/library'

const localized = { pluginOptions: { i18n: { localized: true } } }

const types = [
  {
    ...collection('article', { title: { ...text, ...localized }, body: { type: 'text', ...localized } }),
    ...localized,
  },
  collection('note', { title: text }),
] as unknown as ContentRouterConfig['contentTypes']

const content = {
  $locales: ['en', 'de', 'fr'],
  article: [
    {
      ...{ title: 'Running in the rain', body: 'The runner <never> stops & they ran.' },
      $locales: {
        de: { title: 'Die Häuser am Fluss', body: 'Das Haus der Brücken.' },
        fr: { title: 'Les chevaux', body: 'Ils mangent.' },
      },
    },
    { title: 'The house of cards', body: 'Houses fall, and a run ends.' },
    { title: 'Runic letters', body: 'They die in the stone.' },
  ],
  note: [{ title: 'Many houses' }, { title: 'The end' }],
} as const

interface Body {
  readonly data: readonly { readonly id: number; readonly title: string }[]
  readonly meta: {
    readonly search: {
      readonly ignored: readonly string[]
      readonly highlights?: Readonly<Record<string, object>>
    }
  }
}

describeOn(['postgres'])('search with languages on %s', (name) => {
  const world = testDatabase(name).fresh()
  const configOf = (languages: SearchLanguages) => ({
    ...{ contentTypes: types, database: world.config, logger: false as const },
    extensions: [search({ article: { title: 3, body: 1 }, note: { title: 1 } }, { languages })],
  })
  const languages = { en: 'english', de: 'german', '*': 'english' }
  let asker: Asker

  beforeAll(async () => {
    await migrate(configOf(languages))
    await seed(configOf(languages), content)
    const router = world.closing(
      contentRouter({ ...configOf(languages), permissions: { public: { find: '*' } } }),
    )
    await router.ready()
    asker = world.closing(await askerOf(express().use('/api', router)))
  }, 120_000)

  const get = async (path: string): Promise<Body> => {
    const { status, body } = await asker.ask(`/api/${encodeURI(path)}`)
    expect([status, body]).toEqual([200, body])
    return JSON.parse(body) as Body
  }
  const titles = async (path: string): Promise<readonly string[]> =>
    (await get(path)).data.map(({ title }) => title)

  it.each([
    ['other forms of a word', 'run', ['Running in the rain', 'Runic letters', 'The house of cards']],
    ['the beginning of a word, too', 'runni', ['Running in the rain']],
    ['other forms of a word that is not the last', 'runs in rain', ['Running in the rain']],
    ['only the words of a phrase', '"house of cards"', ['The house of cards']],
    ['only the exact word in quotes', '"house"', ['The house of cards']],
    ['no other forms of a word in quotes', '"runs"', []],
    [
      'entries with other forms of an excluded word in quotes',
      'the -"runs"',
      ['Running in the rain', 'The house of cards', 'Runic letters'],
    ],
    ['no other words than those of a phrase', '"houses of cards"', []],
    [
      'entries without other forms of an excluded word',
      'the -houses',
      ['Running in the rain', 'Runic letters'],
    ],
    ['entries without the stop words', 'who are the runners', ['Running in the rain']],
    ['a stop word alone', 'they', ['Running in the rain', 'Runic letters']],
    ['all words of a query that has stop words only', 'they in t', ['Running in the rain', 'Runic letters']],
    ['no entry without one of the stop words', "don't", []],
    ['entries without a stop word at the end', 'houses they', ['The house of cards']],
  ])('finds %s: %s', async (_name, query, found) => {
    expect(await titles(`articles?_q=${query}`)).toEqual(found)
  })

  it('compares each entry in its own language', async () => {
    expect(await titles('articles?_q=brücke&locale=de')).toEqual(['Die Häuser am Fluss'])
    expect(await titles('articles?_q=HAUSES&locale=de')).toEqual(['Die Häuser am Fluss'])
    // Nobody has set a language for French.
    expect(await titles('articles?_q=cheval&locale=fr')).toEqual([])
    expect(await titles('articles?_q=chevaux&locale=fr')).toEqual(['Les chevaux'])
    expect(await titles('articles?_q=die&locale=*&sort=title')).toEqual([
      'Die Häuser am Fluss',
      'Runic letters',
    ])
    // The German stop word is required in other languages only.
    expect(await titles('articles?_q=die brücke&locale=*')).toEqual(['Die Häuser am Fluss'])
    expect(await titles('articles?_q=die fall&locale=*')).toEqual([])
    expect(await titles('articles?_q=hauses&locale=de&fallback=en&sort=title')).toEqual([
      'Die Häuser am Fluss',
    ])
    expect(await titles('articles?_q=houses&locale=de&fallback=en')).toEqual(['The house of cards'])
  })

  it('searches a type without locales in the language of *', async () => {
    expect(await titles('notes?_q=the house')).toEqual(['Many houses'])
  })

  it('lists the words that the found entries need not contain', async () => {
    const ignored = async (query: string): Promise<readonly string[]> =>
      (await get(`articles?_q=${query}`)).meta.search.ignored
    expect(await ignored('who the runner')).toEqual(['who', 'the'])
    expect(await ignored('die brücke&locale=de')).toEqual(['die'])
    expect(await ignored('die brücke&locale=*')).toEqual(['die'])
    expect(await ignored('the chevaux&locale=fr')).toEqual([])
    expect(await ignored('"of cards" -the run')).toEqual([])
    expect(await ignored('they in')).toEqual([])
  })

  it('marks the forms of the words', async () => {
    const stopped = await get('articles?_q=stopping&highlight=body')
    expect(Object.values(stopped.meta.search.highlights ?? {})).toEqual([
      { body: 'The runner &lt;never&gt; <mark>stops</mark> &amp; they ran.' },
    ])
    const { data, meta } = await get('articles?_q=the runs&highlight=title,body')
    expect(data.map(({ id }) => meta.search.highlights?.[id])).toEqual([
      { title: '<mark>Running</mark> in the rain' },
      { body: 'Houses fall, and a <mark>run</mark> ends.' },
    ])
    const german = await get('articles?_q=brücke haus&highlight=title,body&locale=de')
    expect(Object.values(german.meta.search.highlights ?? {})).toEqual([
      { title: 'Die <mark>Häuser</mark> am Fluss', body: 'Das <mark>Haus</mark> der <mark>Brücken</mark>.' },
    ])
  })

  it('misses the index of another language', async () => {
    const other = configOf({ ...languages, de: 'simple', fr: 'french' })
    const permissions = { public: { find: '*' as const } }
    const router = world.closing(contentRouter({ ...other, permissions }))
    await expect(router.ready()).rejects.toThrow('articles: the search index is missing or incomplete')
    const said: string[] = []
    const say = (line: string): number => said.push(line)
    const run = (when: 'once' | 'never, but compare'): Promise<number> =>
      runSearchIndex(other, when, { print: say, complain: say })
    expect([await run('never, but compare'), await run('once'), await run('never, but compare')]).toEqual([
      1, 0, 0,
    ])
    expect(said).toEqual([
      ...['articles: the index is missing or incomplete', '9 statements run.', 'The indexes are complete.'],
    ])
    await router.ready()
    const { data } = await router
      .as('public')
      .find('articles', { _q: 'cheval', locale: 'fr', fields: ['title'] })
    expect(data.map((entry) => entry['title'])).toEqual(['Les chevaux'])
  })

  it.each<[unknown]>([
    [{ en: 'english; drop table articles' }],
    [{ "en'": 'english' }],
    [{ en: 1 }],
    ['english'],
    [null],
  ])('throws for wrong languages: %j', (wrong) => {
    expect(() => contentRouter({ ...configOf(wrong as never), permissions: {} })).toThrow(
      `search.languages: languages must be an object with a text search configuration of PostgreSQL for each locale (write languages: { en: 'english' })`,
    )
  })
})
