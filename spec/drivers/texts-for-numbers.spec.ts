import type { ContentRouterConfig } from '../../lib'
import { describeOn, testDatabase } from '../support/databases'
import { collection, integer, text } from '../support/library'
import { stocked } from '../support/served'

const types = [
  collection('fee', {
    name: text,
    whole: integer,
    big: { type: 'biginteger' },
    float: { type: 'float' },
    exact: { type: 'decimal' },
    paid: { type: 'boolean' },
    due: { type: 'datetime' },
    told: { type: 'timestamp' },
  }),
] as unknown as ContentRouterConfig['contentTypes']

const columns = ['whole', 'big', 'float', 'exact', 'paid', 'due', 'told'] as const
const texts = [
  '',
  ' ',
  '\t',
  '0x10',
  'a "b" \\ c',
  'Infinity',
  'false',
  '1,"paid":true',
  'null',
  '\ud83d\ude00',
]

const all = (value: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(columns.map((column) => [column, value]))

const showing = columns.map((column, at) => `fields[${String(at)}]=${column}`).join('&')

/** The other databases refuse them when they are written. */
describeOn(['sqlite'])('a text in a column for something else, on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), types, { fee: [{ name: 'one' }, { name: 'two' }] })

  async function shown(value: unknown, options: Partial<ContentRouterConfig> = {}): Promise<unknown> {
    await world.knex('fees').where({ name: 'one' }).update(all(value))
    const [entry] = await serve(options).list(`fees?filters[name]=one&${showing}`)
    return entry
  }

  it.each(texts)('is shown as the text %j, and as nothing where it would be an instant', async (value) => {
    expect(await shown(value)).toMatchObject({ ...all(value), due: null, told: null })
  })

  it('is shown as the text of bytes, too', async () => {
    expect(await shown(Buffer.from('0x10'))).toMatchObject({ whole: '0x10', float: '0x10', exact: '0x10' })
  })

  it.each([
    ['', { whole: 0, float: 0, exact: 0, paid: null, big: '' }],
    ['0x10', { whole: 16, float: 16, exact: 16, paid: null, big: '0x10' }],
    ['one', { whole: null, float: null, exact: null, paid: null, big: 'one' }],
  ])('%j is shown as what Strapi makes of it, where answers are to be as its are', async (value, wanted) => {
    expect(await shown(value, { strapiArtefacts: true })).toMatchObject({ ...wanted, due: null, told: null })
  })

  it('sorts after all numbers and equals none', async () => {
    await shown('0x10')
    await world.knex('fees').where({ name: 'two' }).update({ whole: 16 })
    const { values } = serve()
    expect(await values('fees?sort=whole', 'whole')).toEqual([16, '0x10'])
    expect(await values('fees?filters[whole]=16', 'name')).toEqual(['two'])
  })

  it('changes nothing of numbers, however large', async () => {
    const numbers = { whole: -7, big: '9007199254740993', float: 1.5e300, exact: 0.25, paid: 0, due: 5 }
    await world.knex('fees').where({ name: 'two' }).update(numbers)
    expect(await serve().list(`fees?filters[name]=two&${showing}`)).toMatchObject([
      { ...numbers, paid: false, due: '1970-01-01T00:00:00.005Z' },
    ])
  })
})
