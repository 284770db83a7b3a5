import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { listExports } from '../../extensions/export'
import { type PermissionTable, readTypes } from '../../lib/config'
import { ConfigError } from '../../lib/errors'
import { contentRouter } from '../../lib/http'
import { didYouMean, type Model, modelNamed, type Schema } from '../../lib/schema'
import { inStep, serveLocally } from '../start'
import type { ExportTarget } from './arguments'
import { type CheckedConfig, grantsIn, roleIn, unstarted } from './config-file'
import { type ExitCode, type Output, refuseMissingFile } from './output'
import { Misuse } from './parse-words'
import { seedContent, type SeedReading } from './seed-content'

/** The rights of a role of the config, or everything that is not private. */
function rightsOf(
  config: CheckedConfig,
  role: string | null,
): { readonly role: string; readonly permissions: PermissionTable } {
  if (role === null)
    return { role: 'export', permissions: { export: { find: '*', drafts: '*', export: '*' } } }
  const table = grantsIn(config) ?? {}
  const name = roleIn(table, role)
  // Other keys may belong to extensions that are not used here.
  const { find = [], drafts = [] } = table[name] ?? {}
  return { role: name, permissions: { [name]: { find, drafts, export: '*' } } }
}

const endless = { maxLength: 1e6, maxParameters: 1e5, maxNodes: 1e6 } as const

/** Reads paths of a router in this process. Other users of the machine do not know the key. */
async function readingOf(
  config: CheckedConfig,
  role: string | null,
  isSeed: boolean,
): Promise<{
  readonly read: (path: string) => Promise<IncomingMessage>
  readonly close: () => Promise<void>
}> {
  const { extensions = [] } = unstarted(config)
  const key = randomUUID()
  const rights = rightsOf(config, role)
  const api = contentRouter({
    ...config,
    permissions: rights.permissions,
    role: (req) => (req.get('x-export-key') === key ? rights.role : null),
    limitsByRole: {},
    timeout: Infinity,
    // Components of any depth, as they are stored.
    ...(isSeed && { relations: 'flat', localizations: 'flat', query: endless }),
    extensions: [
      ...(isSeed ? [] : extensions).filter(({ listReading }) => listReading?.name !== 'export'),
      listExports({ snapshot: true }),
    ],
  })
  const served = await serveLocally(api)
  return {
    read: async (path) => {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        get(`${served.origin}/${path}`, { headers: { 'x-export-key': key } }, resolve).on('error', reject)
      })
      if (response.statusCode !== 403) return response
      const [type = ''] = path.split(/\/export\?|\?/)
      throw new Misuse(`the role ${rights.role} is not allowed to find ${type}`)
    },
    close: async () => {
      await served.close()
      await api.close()
    },
  }
}

function modelCalled(schema: Schema, type: string): Model {
  const served = [...schema.models.values()].filter(({ route }) => route !== null)
  const named = modelNamed(schema, type)
  const model = served.find(({ route }) => route === type) ?? served.find((one) => one === named)
  if (model !== undefined) return model
  const lists = served.filter(({ kind }) => kind === 'collectionType').map(({ route }) => String(route))
  throw new Misuse(`there is no type ${type} with a path (${didYouMean(type, lists)})`)
}

function listOf({ kind, route, uid }: Model): string {
  if (kind === 'collectionType') return `${String(route)}/export`
  throw new Misuse(`${uid} is a single type, but only collection types can be exported`)
}

/** The body of a 200. A mistake in the query gets a status below 500. */
async function bodyOf(response: IncomingMessage): Promise<IncomingMessage> {
  const { statusCode = 500 } = response
  if (statusCode === 200) return response
  const { error } = JSON.parse(await text(response)) as { readonly error: { readonly message: string } }
  if (statusCode < 500) throw new Misuse(error.message)
  throw new ConfigError([{ where: 'export', problem: error.message }])
}

type Read = (path: string) => Promise<IncomingMessage>

/** All entries of a type. A single type has at most one in each locale. */
async function readEntries(read: Read, model: Model, query: string): Promise<readonly object[]> {
  if (model.kind !== 'singleType')
    return JSON.parse(
      await text(await bodyOf(await read(`${listOf(model)}?format=json&${query}`))),
    ) as object[]
  const entryIn = async (
    locale: string,
  ): Promise<(object & { readonly localizations?: readonly object[] }) | null> => {
    const response = await read(`${String(model.route)}?${query.replace('locale=*', locale)}`)
    if (response.statusCode === 404) return null
    return (JSON.parse(await text(await bodyOf(response))) as { readonly data: object }).data
  }
  const first = await entryIn('')
  const others = (first?.localizations ?? []).map((one) =>
    entryIn(`locale=${String(Reflect.get(one, 'locale'))}`),
  )
  return [first, ...(await Promise.all(others))].filter((entry) => entry !== null)
}

async function seedFrom(read: Read, schema: Schema, types: readonly string[]): Promise<Readable> {
  const all = [...schema.models.values()].filter(
    ({ route, physical }) => route !== null && !physical.isExisting,
  )
  const models = types.length === 0 ? all : types.map((type) => modelCalled(schema, type))
  const readList = (model: Model, query: string): Promise<readonly object[]> =>
    readEntries(read, model, query)
  return Readable.from([await seedContent({ schema, models, readList: readList as SeedReading['readList'] })])
}

const isClosedPipe = (error: unknown): boolean =>
  error instanceof Error && Reflect.get(error, 'code') === 'EPIPE'

/** Writes a list, or content for `seed`, to a file or the standard output. */
export async function runExport(
  config: CheckedConfig,
  { types, format, query, role, out }: ExportTarget,
  output: Output,
): Promise<ExitCode> {
  refuseMissingFile(config.database)
  const schema = readTypes(config)
  const isSeed = format === 'seed'
  const [type = ''] = types
  const path = isSeed ? '' : `${listOf(modelCalled(schema, type))}?format=${format}&${query}`
  let bytes = 0
  const { read, close } = await readingOf(config, role, isSeed)
  const work = async (): Promise<void> => {
    const body = isSeed ? await seedFrom(read, schema, types) : await bodyOf(await read(path))
    const counted = new PassThrough().on('data', (part: Buffer) => {
      bytes += part.length
    })
    const target = out === null ? (output.body ?? process.stdout) : createWriteStream(out)
    await pipeline(body, counted, target, { end: out !== null })
  }
  try {
    await inStep(output, () => `Exporting ${types.join(', ')}, ${(bytes / 1e6).toFixed(1)} MB`, work)
  } catch (error) {
    // The reader of the pipe has enough.
    if (!isClosedPipe(error)) throw error
  } finally {
    await close()
  }
  return 0
}
