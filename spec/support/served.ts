import express, { type Express } from 'express'
import type { Knex } from 'knex'
import type { Response as OfSupertest } from 'supertest'
import { contentRouter, type ContentRouterConfig } from '../../lib'
import { seed, type SeedContent, type Seeded } from '../../extensions/seed'
import { type Asker, askerOf } from './asker'
import { type CorpusPart, isPlain, readDocumentIds, replaceIds, writeCorpus } from './corpus'
import type { TestDatabase, World } from './databases'
import { migrateWorld } from './templates'

export type Entry = Readonly<Record<string, unknown>>

/** Roles are named in a header, several with commas between; an empty one is nobody. */
export const roleHeader = 'x-test-role'

export interface Page {
  readonly data: readonly Entry[]
  readonly meta: { readonly pagination: Readonly<Record<string, number>> }
}

export type Response = Pick<OfSupertest, 'status' | 'headers' | 'text' | 'body'>

export type OnRequest = (path: string, role: string | undefined) => void

export interface Served {
  readonly app: Express
  /** Records a request that is sent to `app` directly. */
  readonly onRequest: OnRequest
  readonly get: (path: string, role?: string) => Promise<Response>
  /** The body of an answer that has to be 200. */
  readonly page: (path: string, role?: string) => Promise<Page>
  readonly list: (path: string, role?: string) => Promise<Entry[]>
  /** One attribute of every entry of a list. */
  readonly values: (path: string, attribute: string, role?: string) => Promise<unknown[]>
  /** The message and the path of an answer that has to be a 400. */
  readonly refusal: (
    path: string,
    role?: string,
  ) => Promise<{ readonly message: string; readonly path: string }>
}

export interface Stocked {
  readonly world: World
  readonly seeded: () => Seeded
  readonly serve: (options?: Partial<ContentRouterConfig>) => Served
}

type Definitions = ContentRouterConfig['contentTypes']

interface Refusal {
  readonly error: { readonly message: string; readonly details: { readonly path: string } }
}

/** Over connections that stay open: a server for each request is a tenth of what a spec takes. */
function client(world: World, app: Express, onRequest: OnRequest): Served {
  let asker: Promise<Asker & { readonly origin: string }> | undefined
  world.closing({ close: async () => (await asker)?.close() })
  const get = async (path: string, role?: string): Promise<Response> => {
    onRequest(path, role)
    const { ask, origin } = await (asker ??= askerOf(app))
    const { pathname, search } = new URL(`/api/${path}`, origin)
    const { status, headers, body } = await ask(
      pathname + search,
      role === undefined ? {} : { [roleHeader]: role },
    )
    const isJson = headers['content-type']?.startsWith('application/json') === true
    return {
      status,
      headers: headers as Response['headers'],
      text: body,
      body: isJson && body !== '' ? (JSON.parse(body) as unknown) : {},
    }
  }
  const expectStatus = async (status: number, path: string, role?: string): Promise<unknown> => {
    const response = await get(path, role)
    if (response.status === status) return response.body
    throw new Error(`${path} is answered with ${String(response.status)}: ${response.text}`)
  }
  const page = async (path: string, role?: string): Promise<Page> =>
    (await expectStatus(200, path, role)) as Page
  const list = async (path: string, role?: string): Promise<Entry[]> => [...(await page(path, role)).data]
  return {
    app,
    onRequest,
    get,
    page,
    list,
    values: async (path, attribute, role) => (await list(path, role)).map((entry) => entry[attribute]),
    refusal: async (path, role) => {
      const { error } = (await expectStatus(400, path, role)) as Refusal
      return { message: error.message, path: error.details.path }
    },
  }
}

export const rolesOf = (header: string | undefined): string | string[] | null => {
  if (header === undefined) return 'public'
  return header === '' ? null : header.split(',')
}

/** A cursor holds values as one database has them. */
const holdsCursor = /pagination\[(?:after|before)\]=[^&]/

/** All parts of this spec file. */
const corpus: CorpusPart[] = []

interface Recorder {
  /** The world of the spec. Once the spec may have changed rows by SQL, nothing more is recorded. */
  readonly world: World
  start(knex: Knex): Promise<void>
  requestsOf(options: Partial<ContentRouterConfig>): OnRequest
}

function recorderOf(
  world: World,
  contentTypes: Definitions,
  content: SeedContent,
  isRecorded: boolean,
): Recorder {
  let isRecording = false
  let places: ReadonlyMap<string, string> = new Map()
  afterAll(() => {
    const { testPath } = expect.getState()
    if (isRecorded && testPath !== undefined) writeCorpus(testPath, corpus)
  })
  return {
    world: {
      get config() {
        return world.config
      },
      get knex() {
        isRecording = false
        return world.knex
      },
      closing: (thing) => world.closing(thing),
    },
    start: async (knex) => {
      isRecording = isRecorded
      if (isRecording) places = await readDocumentIds(knex, contentTypes)
    },
    requestsOf: (options) => {
      if (!isRecorded || options.database !== undefined || !isPlain(options)) return () => undefined
      const part: CorpusPart = { contentTypes, content, options, requests: [] }
      corpus.push(part)
      return (path, role) => {
        if (isRecording && !holdsCursor.test(path))
          part.requests.push({ path: replaceIds(path, places), ...(role === undefined ? {} : { role }) })
      }
    },
  }
}

/** Types and content in a database of the `describe` block's own, to be served with any options. */
export function stocked(database: TestDatabase, contentTypes: Definitions, content: SeedContent): Stocked {
  const world = database.fresh()
  const isRecorded = database.name === 'sqlite' && [contentTypes, content].every(isPlain)
  const recorder = recorderOf(world, contentTypes, content, isRecorded)
  let seeded: Seeded | undefined
  let plain: Served | undefined
  const serve = (options: Partial<ContentRouterConfig>): Served => {
    const router = contentRouter({
      logger: false,
      contentTypes,
      database: world.config,
      role: (req) => rolesOf(req.get(roleHeader)),
      permissions: { public: { find: '*' } },
      ...options,
    })
    const app = express().use('/api', world.closing(router))
    return client(world, app, recorder.requestsOf(options))
  }
  beforeAll(async () => {
    const config = { contentTypes, database: world.config }
    await migrateWorld({ contentTypes }, world.config)
    seeded = await seed(config, content)
    await recorder.start(world.knex)
  }, 60_000)
  return {
    world: recorder.world,
    seeded: () => {
      if (seeded === undefined) throw new Error('the content is seeded in beforeAll')
      return seeded
    },
    serve: (options) => (options === undefined ? (plain ??= serve({})) : serve(options)),
  }
}
