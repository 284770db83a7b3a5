import { type ContentObject, seed, type SeedContent, SeedError } from '../../../extensions/seed'
import { knex as makeKnex } from 'knex'
import { existsSync } from 'node:fs'
import { contentRouter } from '../../../lib'
import { ConfigError } from '../../../lib/errors'
import { migrate } from '../../../lib/http'
import { onSqlite } from '../../support/databases'
import { note } from '../../drivers/definitions'
import { configOf } from './magazine'

const one = (article: ContentObject): SeedContent => ({ article })

/** Content with one fault, the place and the words that must name it. */
const faulty: readonly (readonly [string, SeedContent, string, RegExp])[] = [
  [
    'a type that is not there',
    { artcle: [] },
    'artcle',
    /the content type does not exist.*did you mean article/,
  ],
  ['an entry that is no object', { article: ['first'] }, 'article[0]', /must be an object/],
  [
    'two entries of a single type',
    { global: [{ siteName: 'a' }, { siteName: 'b' }] },
    'global',
    /single type/,
  ],
  [
    'a key of seed that is not there',
    one({ $state: 'draft' }),
    'article.$state',
    /the key is not allowed in this object/,
  ],
  [
    'a locale for a type without',
    { tag: { name: 'a', $locales: {} } },
    'tag.$locales',
    /the key is not allowed in this object/,
  ],
  [
    'a status for a type without',
    { tag: { name: 'a', $status: 'draft' } },
    'tag.$status',
    /the key is not allowed in this object/,
  ],
  ['a status that is not there', one({ $status: 'modified' }), 'article.$status', /'draft' or 'published'/],
  ['changes to a draft that is one', one({ $status: 'draft', $draft: {} }), 'article.$draft', /is a draft/],
  [
    'a locale that is not declared',
    { $locales: ['en'], article: { $locale: 'fr' } },
    'article.$locale',
    /one of en/,
  ],
  [
    'locales that are no list',
    { $locales: 'en' } as unknown as SeedContent,
    '$locales',
    /a list of locale codes/,
  ],
  ['an attribute that is not there', one({ titel: 'a' }), 'article.titel', /did you mean title/],
  [
    'an attribute of a translation',
    one({ $locales: { fr: { x: 1 } } }),
    'article.$locales.fr.x',
    /no attribute x/,
  ],
  [
    'an attribute of a component',
    one({ seo: { metaTitel: 'a' } }),
    'article.seo.metaTitel',
    /did you mean metaTitle/,
  ],
  ['an id', one({ id: 1 }), 'article.id', /no attribute id/],
  ['a name that is no $ref', one({ author: 'ada' }), 'article.author', /no author with the \$ref ada/],
  ['a file that is no $ref', one({ cover: 'photo' }), 'article.cover', /no file with the \$ref photo/],
  [
    'a $ref that is there twice',
    { tag: [{ $ref: 'a' }, { $ref: 'a' }] },
    'tag[1].$ref',
    /another tag has the \$ref a/,
  ],
  ['one where a list belongs', one({ tags: 'a' }), 'article.tags', /must be a list/],
  ['a list where one belongs', one({ author: ['ada'] }), 'article.author', /not a list/],
  [
    'a morph without a type',
    { comment: { subject: 'x' } },
    'comment.subject',
    /contain a type and the \$ref of an entry/,
  ],
  [
    'a morph to no type',
    { comment: { mentions: [{ nope: 'x' }] } },
    'comment.mentions[0]',
    /cannot link to nope/,
  ],
  [
    'a zone element without a name',
    { page: { sections: [{}] } },
    'page.sections[0].__component',
    /one of shared/,
  ],
  [
    'a component that is not of the zone',
    { page: { sections: [{ __component: 'shared.link' }] } },
    'page.sections[0].__component',
    /one of shared/,
  ],
  ['a text that is a number', one({ title: 5 }), 'article.title', /a string of at most 255/],
  ['a text that is too long', one({ title: 'a'.repeat(256) }), 'article.title', /a string of at most 255/],
  ['a number that is a text', one({ rating: '5' }), 'article.rating', /a number/],
  ['a number that is not whole', one({ views: 1.5 }), 'article.views', /an integer of 32 bits/],
  ['a number that is too big', one({ views: 2 ** 31 }), 'article.views', /an integer of 32 bits/],
  ['a big number that is inexact', one({ bigViews: 2 ** 53 }), 'article.bigViews', /64 bits/],
  ['a big number beyond 64 bits', one({ bigViews: '9223372036854775808' }), 'article.bigViews', /64 bits/],
  ['a day that does not exist', one({ publishDate: '2023-02-29' }), 'article.publishDate', /a date such as/],
  ['a time that does not exist', one({ airTime: '24:00' }), 'article.airTime', /a time such as/],
  [
    'an instant without a zone',
    one({ startsAt: '2024-01-01T00:00:00' }),
    'article.startsAt',
    /an instant such as/,
  ],
  [
    'an instant on a day that does not exist',
    one({ startsAt: '2023-02-29T00:00:00Z' }),
    'article.startsAt',
    /an instant such as/,
  ],
  ['a day of the year 0', one({ publishDate: '0000-12-31' }), 'article.publishDate', /a date such as/],
  [
    'an instant before the year 1',
    one({ startsAt: '0001-01-01T00:00:00+00:01' }),
    'article.startsAt',
    /an instant such as/,
  ],
  [
    'an instant after the year 9999',
    one({ startsAt: new Date(253_402_300_800_000) }),
    'article.startsAt',
    /an instant such as/,
  ],
  ['a boolean that is a text', one({ featured: 'yes' }), 'article.featured', /true or false/],
]

const faultsOf = async (seeding: Promise<unknown>): Promise<SeedError['faults']> => {
  const error: unknown = await seeding.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof SeedError) return error.faults
  throw new Error('expected a SeedError', { cause: error })
}

onSqlite((database) => {
  describe('content with faults', () => {
    const world = database.fresh()
    beforeAll(async () => {
      await migrate(configOf(world))
    }, 60_000)

    it.each(faulty)('is refused with the place of %s', async (_, content, where, words) => {
      const [fault, ...others] = await faultsOf(seed(configOf(world), content))
      expect(others).toEqual([])
      expect(fault?.where).toBe(where)
      expect(`${fault?.problem ?? ''} (${fault?.remedy ?? ''})`).toMatch(words)
    })

    it('names all at once, each by one line of the message', async () => {
      const content = {
        article: [
          { titel: 'a', author: 'ada' },
          { views: 'many', $locales: { fr: { rating: 'x' } } },
        ],
      }
      await expect(seed(configOf(world), content)).rejects.toThrow(
        [
          '4 faults in the content to seed',
          'article[0].titel: api::article.article has no attribute titel that seed can set (did you mean title?)',
          'article[0].author: there is no author with the $ref ada (add the $ref to an entry of author)',
          'article[1].views: the value cannot be stored (write an integer of 32 bits)',
          'article[1].$locales.fr.rating: the value cannot be stored (write a number)',
        ].join('\n  '),
      )
    })

    it('leaves the tables as they were', async () => {
      await faultsOf(seed(configOf(world), { tag: [{ name: 'written?' }], article: { titel: 'a' } }))
      expect(await world.knex('tags').select('name')).toEqual([])
    })

    it('is refused where the database holds the document already', async () => {
      const content = { category: [{ $ref: 'a', name: 'A' }] }
      await seed(configOf(world), content)
      const [fault] = await faultsOf(seed(configOf(world), content))
      expect([fault?.where, fault?.problem]).toEqual([
        'category[0]',
        expect.stringMatching(/^the document already exists in the database/),
      ])
    })
  })

  describe('tables that are not there', () => {
    const world = database.fresh()

    it('are named, with the command that makes them', async () => {
      const [fault, ...others] = await faultsOf(seed(configOf(world), { tag: { name: 'a' } }))
      expect([fault, others]).toEqual([
        { where: 'tags', problem: 'the table is missing', remedy: 'run migrate first' },
        [],
      ])
    })

    it('are told of in one line where none of several is there', async () => {
      const content = { tag: { name: 'a' }, category: { name: 'b' } }
      const [fault, ...others] = await faultsOf(seed(configOf(world), content))
      expect(others).toEqual([])
      expect([fault?.where, fault?.problem]).toEqual([
        'database',
        'the database contains none of the 2 tables that the content needs',
      ])
      expect(fault?.remedy).toMatch(/run migrate first.*connection to the database/)
    })
  })
})

describe('what is no content', () => {
  const database = { client: 'better-sqlite3', connection: { filename: 'nowhere.db' } }
  const contentTypes = note({ title: { type: 'string' } })

  it.each([
    [null, 'content: the value is null'],
    [[], 'content: the value is a list'],
    [[{ note: { title: 'Dawn' } }], 'content: the value is a list'],
    [undefined, 'content: the value is undefined'],
    ['{"note": []}', 'content: the value is a string'],
    [() => ({}), 'content: the value is a function'],
  ])('is refused before the database is opened: %p', async (content, told) => {
    const seeding = seed({ contentTypes, database }, content as unknown as SeedContent)
    await expect(seeding).rejects.toBeInstanceOf(SeedError)
    await expect(seeding).rejects.toThrow(
      `${told} (write the entries of each type, such as { article: [{ title: 'Dawn' }] })`,
    )
    expect(existsSync('nowhere.db')).toBe(false)
  })
})

describe('options of seed', () => {
  const database = { client: 'better-sqlite3', connection: { filename: 'nowhere.db' } }
  const contentTypes = note({ title: { type: 'string' } })

  it.each([
    ['upsrt', 'did you mean upsert?'],
    ['truncate', 'use one of upsert, reset'],
  ])('are refused before the database is opened if there is none of the name: %s', async (name, remedy) => {
    const seeding = seed({ contentTypes, database }, { note: { title: 'Dawn' } }, { [name]: true })
    await expect(seeding).rejects.toBeInstanceOf(ConfigError)
    await expect(seeding).rejects.toThrow(`seed.${name}: the option ${name} does not exist (${remedy})`)
    expect(existsSync('nowhere.db')).toBe(false)
  })
})

describe('a database in memory that is given by its configuration', () => {
  const contentTypes = note({ title: { type: 'string' } })

  it.each([
    ['a path', { client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true }],
    ['an object', { client: 'better-sqlite3', connection: { filename: ':memory:' } }],
  ])('is no place to seed, and lacks what migrate made elsewhere: %s', async (_, database) => {
    const config = { contentTypes, database }
    await migrate(config)
    const seeding = seed(config, { note: { title: 'Dawn' } })
    await expect(seeding).rejects.toBeInstanceOf(ConfigError)
    await expect(seeding).rejects.toThrow(
      /create one instance.*pass the instance to migrate, seed and contentRouter/,
    )
    await expect(seeding).rejects.not.toThrow('run migrate')
    const router = contentRouter({ ...config, logger: false, permissions: {} })
    const told = await router.ready().then(
      () => 'ready',
      (error: unknown) => String(error),
    )
    await router.close()
    expect(told).toMatch(/notes: the table is missing .*each instance opens/)
  })

  it('is a place like any other as a Knex instance that all share', async () => {
    const database = makeKnex({ client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true })
    try {
      await migrate({ contentTypes, database })
      await seed({ contentTypes, database }, { note: { title: 'Dawn' } })
      expect(await database('notes').pluck('title')).toContain('Dawn')
    } finally {
      await database.destroy()
    }
  })
})
