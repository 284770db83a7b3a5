import type { Role } from '../../lib/config'
import { ConfigError, RequestError } from '../../lib/errors'
import { exploredRouter, typesShownTo, type ContentRouter } from '../../lib/http'
import type { PlainEntry, PlainReader } from '../../lib/reader'
import type { ShownType } from '../../lib/describe'
import type { Uid } from '../../lib/schema'
import { type ApiDocument, describeApi } from './api-document'
import {
  type ExampleEntry,
  type ExamplesByUid,
  noExamples,
  type TypeExamples,
  type JsonPart,
} from './json-part'

/** Limits of an attribute and of an entry in an example. */
const mostBytes = { value: 400, entry: 2000 }

/** Attributes in every response. */
const always = ['id', 'documentId']

/**
 * An entry without its long values, which is a valid response to a query with `fields`. A copy, because the reader's
 * entry may be shared.
 */
function shortEntry(entry: JsonPart): JsonPart {
  let left = mostBytes.entry
  const shortened: (readonly [string, unknown])[] = []
  for (const [name, value] of Object.entries(entry)) {
    const text = JSON.stringify(value)
    const bytes = Buffer.byteLength(text)
    const isShort = bytes <= mostBytes.value && bytes <= left
    if (!isShort && !always.includes(name)) continue
    left -= bytes
    shortened.push([name, JSON.parse(text)])
  }
  return Object.fromEntries(shortened)
}

type RoleReader = PlainReader<object>

const smallPage = { pagination: { pageSize: 2 } }

/** Null for a missing entry, and for a request that needs more parameters. Failures are thrown. */
async function readOrNull<Answer>(reading: Promise<Answer>): Promise<Answer | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) return null
    throw error
  }
}

async function exampleOf(
  reading: ReturnType<RoleReader['single']>,
  value: ExampleEntry['value'],
): Promise<ExampleEntry | null> {
  const answer = await readOrNull(reading)
  return answer === null ? null : { value, answer: { ...answer, data: shortEntry(answer.data) } }
}

function firstValue(entries: readonly PlainEntry[], name: string): string | number | null {
  for (const { [name]: value } of entries)
    if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return value
  return null
}

async function examplesBy(
  { key, scalars }: ShownType,
  entries: readonly PlainEntry[],
  reader: RoleReader,
): Promise<TypeExamples['by']> {
  const examples = new Map<string, ExampleEntry>()
  for (const [name, { column }] of scalars) {
    const value = column.identifies ? firstValue(entries, name) : null
    const example = value === null ? null : await exampleOf(reader.by(key, name, value), value)
    if (example !== null) examples.set(name, example)
  }
  return examples
}

/** Types that the role may not list get no examples of entries. */
async function examplesOf(type: ShownType, reader: RoleReader): Promise<TypeExamples> {
  const { key, model, reads } = type
  if (model.kind === 'singleType') return { ...noExamples, one: await exampleOf(reader.single(key), null) }
  const list = reads.includes('find') ? await readOrNull(reader.find(key, smallPage)) : null
  if (list === null) return noExamples
  const listed = { list: { ...list, data: list.data.map(shortEntry) } }
  if (!reads.includes('findOne')) return { ...noExamples, ...listed }
  const id = firstValue(list.data, 'documentId')
  return {
    ...listed,
    one: id === null ? null : await exampleOf(reader.findOne(key, String(id)), id),
    by: await examplesBy(type, list.data, reader),
  }
}

/** Sequential, so that one document takes no more of the queue than one request. */
async function readExamples(types: readonly ShownType[], reader: RoleReader): Promise<ExamplesByUid> {
  const examples = new Map<Uid, TypeExamples>()
  for (const type of types.filter(({ reads }) => reads.length > 0))
    examples.set(type.model.uid, await examplesOf(type, reader))
  return examples
}

/** Contains the options of `describe`. */
export interface DescribeOptions {
  /**
   * Selects the role of the OpenAPI document. Without a role, the document describes everything that is not private.
   */
  readonly role?: Exclude<Role, null>
  /** Sets the URL of the mount: `https://example.org/api`. */
  readonly url?: string
  /**
   * Adds examples, which are responses to a few requests with `role`. With examples, the OpenAPI document contains
   * values of your database.
   * @default false
   */
  readonly examples?: boolean
}

const nobodysExamples = {
  where: 'describe({ examples })',
  problem: 'the option examples requires the option role, because each example is a response for a role',
  remedy: 'set the option role',
}

/** Returns the OpenAPI document of a role, with requests and responses. */
export async function describe(
  content: Pick<ContentRouter, 'as'>,
  { role, url = '/', examples = false }: DescribeOptions = {},
): Promise<ApiDocument> {
  const explored = exploredRouter('describe', content)
  if (examples && role === undefined) throw new ConfigError([nobodysExamples])
  const { settings, rights } = await explored.rightsGiven(role)
  if (!examples || role === undefined) return describeApi(settings, rights, { url })
  const shown = await readExamples(typesShownTo(settings, rights), content.as(role))
  return describeApi(settings, rights, { url, examples: shown })
}
