import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  record,
} from 'fast-check'
import { aggregates } from '../../../extensions/aggregate'
import { connectMcp } from '../../../extensions/mcp'
import { search } from '../../../extensions/search'
import { contentRouter, type ContentRouter, type Grant, migrate } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { library } from '../../support/library'
import { firstSeed, runs } from '../../support/property-runs'
import { stocked } from '../../support/served'

const extensions = [aggregates(), search({ book: { title: 3, blurb: 1 }, author: { name: 2 } })]

const hidden = ['ledger', 'blurb', 'author', 'genres', 'plates', 'sections', 'memos', 'reviews', 'countries']

const ofBooks = { book: { where: { year: { $gte: 2000 } }, fields: ['title', 'year'] } }
const permissions: Readonly<Record<string, Grant>> = {
  reader: { find: ofBooks, findOne: ofBooks, aggregate: ['book'] },
}

const names = constantFrom(
  'title',
  'year',
  'id',
  'books',
  'count',
  '$eq',
  '$and',
  '*',
  'constructor',
  ...hidden,
)
const value = oneof(names, jsonValue({ maxDepth: 3 }))
const argument = oneof(value, array(value, { maxLength: 3 }), dictionary(names, value, { maxKeys: 3 }))
const searches = record({
  name: constant('search'),
  given: dictionary(
    constantFrom('_q', 'types', 'limit', 'status', 'locale'),
    oneof(constantFrom('da', 'noon -other', 'other', 1, ['books'], ['authors']), argument),
    { maxKeys: 3 },
  ).map((given) => ({ _q: 'd', ...given })),
})
const calls = record({
  name: constantFrom('list_types', 'describe_type', 'find', 'find_one', 'read_text', 'aggregate', 'remove'),
  given: dictionary(
    constantFrom(
      'type',
      'filters',
      'sort',
      'fields',
      'populate',
      'pagination',
      '_q',
      'documentId',
      'attribute',
      'from',
      'status',
      'locale',
      'groupBy',
      'having',
      'aggregate',
      'limit',
    ),
    argument,
    { maxKeys: 4 },
  ).map((given) => ({ type: 'books', ...given })),
})

onSqlite((database) => {
  const shown = [
    { title: 'Dawn', year: 2001, blurb: 'a', ledger: 'b' },
    { title: 'Noon', year: 2003 },
  ]
  const one = stocked(database, library, { author: [{ $ref: 'ada', name: 'Ada' }], book: shown })
  const other = stocked(database, library, {
    author: [{ $ref: 'bo', name: 'Bo' }],
    book: [
      ...shown.map((book) => ({ ...book, blurb: 'other', ledger: 'other', author: 'bo' })),
      { title: 'Dusk', year: 1999 },
    ],
    genre: [{ name: 'Essay' }],
  })
  beforeAll(async () => {
    for (const { world } of [one, other])
      await migrate({ contentTypes: library, database: world.config, extensions, logger: false })
  })
  const routers: ContentRouter[] = []
  afterAll(() => Promise.all(routers.map((router) => router.close())))

  async function clientOf({ world }: typeof one): Promise<Client> {
    const content = contentRouter({
      ...{ contentTypes: library, database: world.config, permissions, logger: false },
      extensions,
    })
    routers.push(content)
    const [own, theirs] = InMemoryTransport.createLinkedPair()
    await connectMcp(content, theirs, { role: 'reader' })
    const client = new Client({ name: 'spec', version: '1' })
    await client.connect(own)
    return client
  }

  const textOf = async (client: Client, name: string, given: Record<string, unknown>): Promise<string> =>
    JSON.stringify(await client.callTool({ name, arguments: given }))

  describe('arbitrary calls of tools', () => {
    it('reveal no hidden name, no stack and nothing of hidden rows', async () => {
      const [client, twin] = [await clientOf(one), await clientOf(other)]
      // Ids of documents are made at random, so that they differ in the two databases.
      const withoutIds = (text: string): string =>
        text.replace(/\\?"(documentId|id)\\?":(\\?"[a-z0-9]{24}\\?"|\d+)/g, '')
      let found = 0
      await assert(
        asyncProperty(oneof({ weight: 3, arbitrary: calls }, searches), async ({ name, given }) => {
          const [text, twins] = [await textOf(client, name, given), await textOf(twin, name, given)]
          expect(withoutIds(text)).toBe(withoutIds(twins))
          if (name === 'search' && text.includes('Dawn')) found += 1
          const asked = JSON.stringify(given)
          for (const hiddenName of hidden)
            if (!asked.includes(hiddenName)) expect(text).not.toContain(hiddenName)
          expect(text).not.toMatch(/\.(?:js|ts):\d+|Internal Server Error|SQLITE/)
        }),
        { numRuns: runs(200), seed: firstSeed },
      )
      expect(found).toBeGreaterThan(0)
    })
  })
})
