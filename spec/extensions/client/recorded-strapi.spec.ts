import express from 'express'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import qs from 'qs'
import { strapi5 } from '../../../extensions/strapi'
import { contentRouter } from '../../../lib'
import { contentClient, ContentError } from '../../../extensions/client'
import { type Case, casesByGroup, roleHeader } from '../../corpus/replay'
import { besideServer } from '../../support/beside-server'
import { onSqlite } from '../../support/databases'
import { recordingOf } from '../../support/recordings'

const format = 'strapi-response-format'

interface Asked {
  readonly path: string
  readonly query: object
}

function read(request: string): Asked {
  const [path = '', text = ''] = request.split(/\?(.*)/s)
  const query = qs.parse(text, { depth: Infinity, arrayLimit: 100, strictNullHandling: true })
  return { path, query }
}

/** Requests are the same that a server reads the same of. */
const keyOf = (request: string, headers: Case['headers'], role: string): string => {
  const { path, query } = read(request)
  return JSON.stringify([path, query, role, new Headers(headers).get(format)])
}

const errorIn = (body: unknown): object => (body as { readonly error?: object } | null)?.error ?? {}

const paths = /^\/api\/([\w-]+)(?:\/([\w-]+))?$/
/** What says `key` and no more is read as null, but written as an empty text. */
const isAskable = ({ request }: Case): boolean => {
  const { path, query } = read(request)
  return paths.test(path) && !JSON.stringify(query).includes('null')
}

describe('what a Strapi 5 answered', () => {
  const recorded = [...casesByGroup(recordingOf('sqlite')).values()]
    .flat()
    .filter((one) => one.expected !== 'never 500' && isAskable(one))
  const answers = new Map(
    recorded.map(({ request, headers, role, expected }) => [keyOf(request, headers, role), expected]),
  )

  /** Answers what a Strapi answered, and nothing else. */
  const playing: RequestListener = ({ url = '', headers }, res) => {
    const told = headers[format]
    const known = typeof told === 'string' ? { [format]: told } : undefined
    const answer = answers.get(keyOf(url, known, String(headers[roleHeader])))
    const { status, body } =
      answer === undefined || answer === 'never 500' ? { status: 599, body: null } : answer
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }

  it('is what the client gives, of data and of errors', async () => {
    const wrong: unknown[] = []
    await besideServer(playing, async (url) => {
      const client = contentClient({ url, preset: 'strapi5' })
      for (const { request, headers, role, expected } of recorded) {
        if (expected === 'never 500') continue
        const { path, query } = read(request)
        const [, type = '', documentId] = paths.exec(path) ?? []
        const init = { headers: { ...headers, [roleHeader]: role } }
        const asked =
          documentId === undefined
            ? client.find(type, query, init)
            : client.findOne(type, documentId, query, init)
        const came = await asked.then(
          (body): object => ({ status: 200, body }),
          (error: unknown) => error as ContentError,
        )
        const wanted =
          expected.status === 200 ? expected : { status: expected.status, ...errorIn(expected.body) }
        try {
          if (expected.status === 200) expect(came).toEqual(expected)
          else expect(came).toMatchObject(wanted)
          expect(came instanceof ContentError).toBe(expected.status !== 200)
        } catch {
          wrong.push({ request, role, came, wanted })
        }
      }
    })
    expect(wrong).toEqual([])
    expect(recorded.length).toBeGreaterThan(700)
  })
})

onSqlite((database) => {
  describe('in front of what Strapi wrote, the client', () => {
    const world = database.restored()
    const { folder, contentTypes } = recordingOf(database.name)
    const options = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as object
    const asStrapi = (): RequestListener => {
      const router = world.closing(
        contentRouter({
          extensions: [strapi5()],
          ...options,
          contentTypes,
          database: world.config,
          role: () => 'public',
        }),
      )
      return express().use('/api', router)
    }

    it.each([
      ['by numbers', 'strapi5'],
      ['by cursors', undefined],
    ] as const)('meets each entry once, %s', async (_how, preset) => {
      await besideServer(asStrapi(), async (url) => {
        const client = contentClient({ url, ...(preset && { preset }) })
        const ids: unknown[] = []
        // Many are of the same kind.
        const query = { fields: ['kind'], sort: 'kind', pagination: { pageSize: 7 } }
        for await (const { id } of client.each('articles', query)) ids.push(id)
        expect(ids).toHaveLength(50)
        expect(new Set(ids).size).toBe(50)
      })
    })

    it('finds by an attribute what it finds by a path', async () => {
      await besideServer(asStrapi(), async (url) => {
        const client = contentClient({ url })
        const strapi = contentClient({ url, preset: 'strapi5' })
        const { data } = await client.find('articles', { fields: ['slug'], pagination: { pageSize: 5 } })
        expect(data).toHaveLength(5)
        const query = { fields: ['title'], populate: ['author'] }
        for (const { slug } of data) {
          const found = await strapi.by('articles', 'slug', String(slug), query)
          expect(found).toEqual(await client.by('articles', 'slug', String(slug), query))
          const other = { ...query, filters: { slug: { $ne: slug } } }
          await expect(strapi.by('articles', 'slug', String(slug), other)).rejects.toMatchObject({
            status: 404,
            name: 'NotFoundError',
          })
        }
      })
    })
  })
})
