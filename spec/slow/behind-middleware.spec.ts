import { createCipheriv } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type ContentRouterConfig, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { decoded } from '../support/behind/decoded'
import { type Asked, type Hosted, startHosted, urlOf } from '../support/behind/hosted'
import { pipelined } from '../support/behind/pipelined'
import { stackNames } from '../support/behind/stacks'
import { onSqlite, type World } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'
import { aThirdOf } from '../support/sweep'

const contentTypes = [
  collection('page', {
    size: text,
    place: integer,
    text: { type: 'text' },
    leaf: relation('manyToOne', 'leaf', { inversedBy: 'pages' }),
  }),
  collection('leaf', { text: { type: 'text' }, pages: relation('oneToMany', 'page', { mappedBy: 'leaf' }) }),
] as unknown as ContentRouterConfig['contentTypes']

/** Nothing that could be written shorter, so that what is sent is long whoever compresses it. */
function textOf(length: number, number: number): string {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16, number))
  return `é"ß😀${cipher.update(Buffer.alloc(length)).toString('base64')}`.slice(0, length)
}

/** How many pages of how many letters. */
const sizes = {
  'a kilobyte': [1, 1_000],
  '300 kilobytes': [3, 100_000],
  '5 megabytes': [25, 200_000],
} as const
type Size = keyof typeof sizes
const sizeNames = Object.keys(sizes) as Size[]

const textsOf = (size: Size): string[] => {
  const [count, letters] = sizes[size]
  return Array.from({ length: count }, (_, place) => textOf(letters, place))
}

const content = {
  leaf: [{ $ref: 'leaf', text: textOf(200_000, 99) }],
  page: [
    ...sizeNames.flatMap((size) => textsOf(size).map((written, place) => ({ size, place, text: written }))),
    ...Array.from({ length: 80 }, (_, place) => ({ size: 'shared', place, leaf: 'leaf' })),
  ],
}

const pathOf = (size: Size): string =>
  `pages?filters[size]=${encodeURIComponent(size)}&sort=place&pagination[pageSize]=100`

/** 16 megabytes, more than lies between a server and a client that does not read. */
const hugePath = 'pages?filters[size]=shared&populate=leaf&pagination[pageSize]=100'

const versions = ['4', '5'] as const
type Version = (typeof versions)[number]

const texts = (body: Buffer): unknown[] =>
  (JSON.parse(body.toString()) as { data: { text: string }[] }).data.map(({ text }) => text)

const inEncoding = (encoding: string): { headers: OutgoingHttpHeaders } => ({
  headers: { 'accept-encoding': encoding },
})

/** Routers behind stacks of middleware, and what they answer where nothing stands before them. */
interface Behind extends Hosted {
  readonly alone: Readonly<Record<Size, Buffer>>
}

async function start(version: Version, world: World): Promise<Behind> {
  const hosted = world.closing(await startHosted(version, { contentTypes, database: world.config }))
  const answers = sizeNames.map(async (size) => {
    const { bytes } = await hosted.ask({ behind: 'alone', kind: 'plain', path: pathOf(size) })
    return [size, bytes] as const
  })
  return { ...hosted, alone: Object.fromEntries(await Promise.all(answers)) as Record<Size, Buffer> }
}

/** A process for the specs of a block. */
function hostedBy(world: World, version: Version): () => Behind {
  let behind: Behind | undefined
  beforeAll(async () => {
    behind = await start(version, world)
  }, 60_000)
  return () => {
    if (behind === undefined) throw new Error('it is started in beforeAll')
    return behind
  }
}

function bodiesAreWhole(of: () => Behind): void {
  describe.each(aThirdOf(stackNames))('behind %s', (behind) => {
    describe.each([
      ['plain', sizeNames],
      ['cached', ['300 kilobytes']],
      ['compressed', ['a kilobyte', '300 kilobytes']],
    ] as const)('a %s router', (kind, lengths) => {
      it.each(lengths)('sends a body of %s whole, and no body to HEAD', async (size) => {
        const asked = { behind, kind, path: pathOf(size) }
        for (const encoding of ['identity', 'gzip']) {
          const answer = await of().ask({ ...asked, ...inEncoding(encoding) })
          const isWhole = decoded(answer).equals(of().alone[size])
          expect([encoding, answer.status, isWhole]).toEqual([encoding, 200, true])
          expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
        }
        const { status, headers, bytes } = await of().ask({ ...asked, method: 'HEAD' })
        expect([status, bytes.length]).toEqual([200, 0])
        expect(headers['content-type']).toBe('application/json; charset=utf-8')
      })
    })

    it('sends an error whole', async () => {
      for (const method of ['GET', 'HEAD'] as const) {
        const { status, body } = await of().ask({ behind, kind: 'plain', path: 'pages?sort=nope', method })
        expect([status, body.includes('Invalid key nope')]).toEqual([400, method === 'GET'])
      }
    })

    it.each(['tagged', 'cached', 'compressed'] as const)(
      'a %s router sends 304 for its ETags',
      async (kind) => {
        const strong = new Map<string, Buffer>()
        for (const encoding of ['identity', 'gzip']) {
          const asked = { behind, kind, path: pathOf('300 kilobytes'), ...inEncoding(encoding) }
          const { bytes, headers } = await of().ask(asked)
          const { etag = '' } = headers
          const again = await of().ask({ ...asked, headers: { ...asked.headers, 'if-none-match': etag } })
          expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag])
          if (etag.startsWith('W/')) continue
          expect((strong.get(etag) ?? bytes).equals(bytes)).toBe(true)
          strong.set(etag, bytes)
        }
      },
    )
  })
}

function clientsMayBeAsTheyAre(of: () => Behind): void {
  it('sends a body whole to slow clients', async () => {
    const path = pathOf('5 megabytes')
    const expected = of().alone['5 megabytes']
    const bodies = await Promise.all(
      stackNames.map((behind) => of().askSlowly({ behind, kind: 'cached', path, ...inEncoding('gzip') })),
    )
    const wrong = stackNames.filter((_, index) => bodies[index]?.equals(expected) !== true)
    expect(wrong).toEqual([])
  })

  it.each(stackNames)('serves pipelined requests, behind %s', async (behind) => {
    const order = ['5 megabytes', 'a kilobyte', '300 kilobytes', 'a kilobyte'] as const
    const urls = order.map((size) => urlOf({ behind, kind: 'cached', path: pathOf(size) }))
    const answers = await pipelined(of().port, urls, { 'accept-encoding': 'gzip' })
    const bodies = answers.map(decoded)
    expect(order.map((size, index) => bodies[index]?.equals(of().alone[size]))).toEqual([
      ...[true, true, true, true],
    ])
    expect(bodies).toHaveLength(order.length)
  })

  it.each(['alone', 'compression'] as const)(
    'holds a body once for all clients that do not read, behind %s',
    async (behind) => {
      const clients = 5
      const path = pathOf('5 megabytes')
      const asked: Asked = { behind, kind: 'cached', path, ...inEncoding('gzip') }
      const { length } = decoded(await of().ask(asked))
      const before = await of().weigh()
      const responses = await Promise.all(Array.from({ length: clients }, () => of().askForHead(asked)))
      expect((await of().weigh()) - before).toBeLessThan(length)
      const bodies = await Promise.all(responses.map((response) => buffer(response)))
      const lengths = bodies.map((bytes, index) => {
        return decoded({ bytes, headers: responses[index]?.headers ?? {} }).length
      })
      expect(lengths).toEqual(Array(clients).fill(length))
    },
  )

  it.each(stackNames)('notices a client that disconnects within a body, behind %s', async (behind) => {
    const ended = of().ended('leaf')
    const asked: Asked = { behind, kind: 'plain', path: hugePath, ...inEncoding('gzip') }
    const response = await of().askForHead(asked)
    expect(response.statusCode).toBe(200)
    response.destroy()
    expect(await ended).toMatchObject({ outcome: 'abandoned', status: null })
  })

  it('closes once all clients are gone', async () => {
    await of().closeRouters()
    const { status } = await of().ask({ behind: 'alone', kind: 'plain', path: 'pages' })
    expect(status).toBe(503)
  })
}

const listed = (header: string | undefined): string[] => (header ?? '').split(/, */).sort()

function headersAreShared(of: () => Behind): void {
  it('adds to the Vary header of other middleware', async () => {
    const path = pathOf('300 kilobytes')
    for (const kind of ['cached', 'compressed'] as const) {
      const asked: Asked = { behind: 'a usual stack', kind, path, ...inEncoding('gzip') }
      const { headers } = await of().ask(asked)
      expect(listed(headers.vary)).toEqual(['Accept-Encoding', 'Origin', 'Strapi-Response-Format'])
    }
  })

  it('is not compressed with Cache-Control: no-transform', async () => {
    const path = pathOf('300 kilobytes')
    const asked: Asked = { behind: 'compression', kind: 'not to be transformed', path, ...inEncoding('gzip') }
    const { headers, bytes } = await of().ask(asked)
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers['content-length']).toBe(String(bytes.length))
    expect(bytes.equals(of().alone['300 kilobytes'])).toBe(true)
  })

  it('has strong ETags, and weak ones behind middleware that changes bodies', async () => {
    const tags = stackNames.map(async (behind) => {
      const { headers } = await of().ask({ behind, kind: 'tagged', path: 'pages?fields=size' })
      return [behind, headers.etag?.startsWith('"')] as const
    })
    const strongly = (await Promise.all(tags)).filter(([, isStrong]) => isStrong).map(([behind]) => behind)
    expect(strongly).toEqual(expect.arrayContaining(['alone', 'helmet', 'cors', 'body parsers']))
    expect(strongly).not.toContain('compression')
  })

  it.each([
    ['a host that times', ['authorize', 'edge', 'load', 'plan', 'wait', 'write']],
    ['server-timing', ['authorize', 'load', 'plan', 'total', 'wait', 'write']],
  ] as const)('adds to the Server-Timing header of other middleware: %s', async (behind, names) => {
    const { headers } = await of().ask({ behind, kind: 'timed', path: 'pages?fields=size' })
    const timing = String(headers['server-timing'])
    expect(listed(timing).map((part) => part.split(';')[0])).toEqual(names)
  })
}

function othersMayAnswer(of: () => Behind): void {
  const late = [
    [{ kind: 'plain', path: pathOf('300 kilobytes') }, 'x-role-after'],
    [{ kind: 'timed', path: pathOf('a kilobyte') }, 'x-role-after'],
    [{ kind: 'tagged', path: pathOf('a kilobyte') }, 'x-role-after'],
    [{ kind: 'plain', path: 'pages?sort=nope' }, 'x-role-after'],
    [{ kind: 'explained', path: pathOf('a kilobyte') }, 'x-explain-after'],
  ] as const

  /** A host that answers with an error of its own after 100 milliseconds, which takes it another 200. */
  it.each([
    ['while the host is still writing', 250],
    ['after the host has', 800],
  ] as const)('leaves the response of a host that times out alone: %s', async (_when, milliseconds) => {
    const asking = late.map(async ([{ kind, path }, header]) => {
      const { headers } = await of().ask({ behind: 'alone', kind, path })
      const asked = {
        kind,
        path,
        headers: { [header]: milliseconds, 'if-none-match': headers.etag ?? '"none"' },
      }
      const { status, body } = await of().ask({ ...asked, behind: 'a hasty host' })
      expect([kind, path, status, body]).toEqual([kind, path, 503, 'answered by the host'])
      // Began later and takes as long, so that the router is done with the one before.
      return (await of().ask({ ...asked, behind: 'alone' })).status
    })
    expect(await Promise.all(asking)).toEqual([200, 200, 304, 400, 200])
  })

  it('aborts a response whose head the host has already sent', async () => {
    const asked: Asked = { behind: 'a host that sends heads first', kind: 'tagged', path: 'pages' }
    await expect(of().ask(asked)).rejects.toThrow('aborted')
    expect((await of().ask({ ...asked, behind: 'alone' })).status).toBe(200)
  })

  it.each(stackNames)('sends no body where a strict server forbids it, behind %s', async (behind) => {
    const asked = { behind, kind: 'tagged', path: pathOf('300 kilobytes'), strictly: true } as const
    const { status, headers } = await of().ask(asked)
    expect(status).toBe(200)
    expect(await of().ask({ ...asked, method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    const conditional = { ...asked, headers: { 'if-none-match': headers.etag } }
    expect(await of().ask(conditional)).toMatchObject({ status: 304, body: '' })
    const refused = { ...asked, path: 'pages?sort=nope', method: 'HEAD' } as const
    expect(await of().ask(refused)).toMatchObject({ status: 400, body: '' })
  })
}

onSqlite((database) => {
  const world = database.fresh()
  beforeAll(async () => {
    const config = { contentTypes, database: world.config }
    await migrate(config)
    await seed(config, content)
  }, 60_000)

  describe.each(versions)('on Express %s', (version) => {
    const of = hostedBy(world, version)

    it.each(sizeNames)('sends a body of %s whole behind a stack of middleware', async (size) => {
      const path = pathOf(size)
      const expected = of().alone[size]
      expect(texts(expected)).toEqual(textsOf(size))
      for (const behind of ['a usual stack', 'all of them'] as const) {
        for (const encoding of ['identity', 'gzip', 'br']) {
          const answer = await of().ask({ behind, kind: 'cached', path, ...inEncoding(encoding) })
          expect([behind, encoding, answer.status, decoded(answer).equals(expected)]).toEqual([
            ...[behind, encoding, 200, true],
          ])
        }
      }
    })

    bodiesAreWhole(of)
    headersAreShared(of)
    othersMayAnswer(of)
    clientsMayBeAsTheyAre(of)
  })
})
