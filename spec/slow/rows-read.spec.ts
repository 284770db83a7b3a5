import { knex as makeKnex, type Knex } from 'knex'
import type { ContentRouterConfig } from '../../lib'
import type { SeedContent } from '../../extensions/seed'
import { describeOn, testDatabase } from '../support/databases'
import { collection, component, relation, repeated, text } from '../support/library'
import { type Served, stocked } from '../support/served'

const types = [
  collection('item', {
    word: text,
    parts: repeated('shared.part'),
    zone: { type: 'dynamiczone', components: ['shared.part', 'shared.piece'] },
    tags: relation('manyToMany', 'tag', { inversedBy: 'items' }),
    maker: relation('manyToOne', 'maker', { inversedBy: 'items' }),
  }),
  collection('tag', {
    word: text,
    parts: repeated('shared.part'),
    items: relation('manyToMany', 'item', { mappedBy: 'tags' }),
  }),
  collection('maker', {
    word: text,
    items: relation('oneToMany', 'item', { mappedBy: 'maker' }),
    tags: relation('oneToMany', 'tag'),
  }),
  component('shared.part', {
    word: text,
    pieces: repeated('shared.piece'),
    tags: relation('oneToMany', 'tag'),
  }),
  component('shared.piece', { word: text }),
] as ContentRouterConfig['contentTypes']

const items = 6000
const others = 1000
const upTo = (count: number): number[] => [...Array(count).keys()]
const word = (number: number): string => 'abcdefgh'[number % 8] ?? ''
const named = (letter: string, number: number): string => letter + String(number)
const part = (number: number): object => ({
  word: word(number),
  pieces: [{ word: word(number) }],
  tags: [named('t', number % others)],
})

const content = {
  tag: upTo(others).map((number) => ({
    ...{ $ref: named('t', number), word: word(number), parts: [part(number)] },
  })),
  maker: upTo(others).map((number) => ({
    ...{ $ref: named('m', number), word: word(number), tags: [named('t', number)] },
  })),
  item: upTo(items).map((number) => ({
    word: word(number),
    parts: [part(number)],
    zone: [{ __component: 'shared.part', ...part(number) }],
    tags: [named('t', number % others), named('t', (number * 7) % others)],
    maker: named('m', number % others),
  })),
} as unknown as SeedContent

const which = ['', '[$some]', '[$none]', '[$every]']
const first: Readonly<Record<string, readonly string[]>> = {
  '[parts]': ['[pieces]', '[tags]'],
  '[zone]': ['[pieces]', '[tags]'],
  '[tags]': ['[items]', '[parts]'],
  '[maker]': ['[items]', '[tags]'],
}
/** Entries of several types are told apart; a zone has no plain condition, and one of one has no quantifier. */
const told = (link: string): string => (link === '[zone]' ? '[on][shared.part]' : '')
const isOne = (link: string): boolean => link === '[maker]'
const whichOf = (link: string): readonly string[] =>
  which.filter((one) => (one === '' ? link !== '[zone]' : !isOne(link)))

const paths = Object.entries(first).flatMap(([link, next]) =>
  whichOf(link).flatMap((one) => [
    ...next.flatMap((on) =>
      which.map((other) => `items?filters${link}${one}${told(link)}${on}${other}[word]=a`),
    ),
    ...next.map((on) => `items?filters${link}${one}${told(link)}${on}[$count]=1`),
    `items?filters${link}${one}${told(link)}[word]=a`,
  ]),
)

/** Of all tables together, as often as a few passes over each, and far less than one for each entry. */
const mostPasses = 12

/** What a connection of MySQL or MariaDB has read so far, in tables and in sets that it holds. */
async function rowsRead(knex: Knex): Promise<number> {
  const [rows] = (await knex.raw(`show session status like 'Handler_read%'`)) as [
    { readonly Value: string }[],
  ]
  return rows.reduce((sum, { Value }) => sum + Number(Value), 0)
}

describeOn(['mariadb', 'mysql'])('sets on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), types, content)
  let knex: Knex
  let served: Served
  let rows = 0
  beforeAll(async () => {
    knex = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
    const [tables] = (await knex.raw('show tables')) as [Record<string, string>[]]
    for (const table of tables.flatMap((one) => Object.values(one))) {
      await knex.raw('analyze table ??', [table])
      rows += Number((await knex<object, { count: number }[]>(table).count({ count: '*' }))[0]?.count)
    }
    served = serve({ database: knex, cache: false })
    await served.page('items')
  }, 60_000)
  afterAll(() => knex.destroy())

  it.each(paths)('read each row a few times: %s', async (path) => {
    const before = await rowsRead(knex)
    await served.page(path)
    const passes = ((await rowsRead(knex)) - before) / rows
    expect({ passes, isFew: passes > 0.01 && passes < mostPasses }).toMatchObject({ isFew: true })
  })
})
