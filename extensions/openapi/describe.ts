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

/** Of an attribute, and of all together: enough to see what there is. */
const mostBytes = { value: 400, entry: 2000 }

/** What no query leaves out. */
const always = ['id', 'documentId']

/**
 * An entry without what is long. It is as true as the whole: it is what is answered to whoever does not ask for the rest. What is
 * kept is a copy, as others may be answered the same.
 */
function shortEntry(entry: JsonPart): JsonPart {
  let left = mostBytes.entry
  const kept: (readonly [string, unknown])[] = []
  for (const [name, value] of Object.entries(entry)) {
    const text = JSON.stringify(value)
    const bytes = Buffer.byteLength(text)
    const isShort = bytes <= mostBytes.value && bytes <= left
    if (!isShort && !always.includes(name)) continue
    left -= bytes
    kept.push([name, JSON.parse(text)])
  }
  return Object.fromEntries(kept)
}

type RoleReader = PlainReader<object>

/** Enough of a list to see that it is one. */
const smallPage = { pagination: { pageSize: 2 } }

/** Null where whoever asks is answered that there is nothing, or nothing unless more is said. What failed is raised. */
async function answerOf<Answer>(reading: Promise<Answer>): Promise<Answer | null> {
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
  const answer = await answerOf(reading)
  return answer === null ? null : { value, answer: { ...answer, data: shortEntry(answer.data) } }
}

/** Of the entries that are listed, what the first has that has any. */
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

/** What is not listed to a role is not looked for in any other way. */
async function examplesOf(type: ShownType, reader: RoleReader): Promise<TypeExamples> {
  const { key, model, reads } = type
  if (model.kind === 'singleType') return { ...noExamples, one: await exampleOf(reader.single(key), null) }
  const list = reads.includes('find') ? await answerOf(reader.find(key, smallPage)) : null
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

/** One after the other: who asks for all of them takes no more of the queue than a request does. */
async function readExamples(types: readonly ShownType[], reader: RoleReader): Promise<ExamplesByUid> {
  const examples = new Map<Uid, TypeExamples>()
  for (const type of types.filter(({ reads }) => reads.length > 0))
    examples.set(type.model.uid, await examplesOf(type, reader))
  return examples
}

/** Of whom and of where a document tells. */
export interface DescribeOptions {
  /** Describes what this role may read; without it, all that is not private. */
  readonly role?: Exclude<Role, null>
  /** Where the router is mounted: `https://example.org/api`. */
  readonly url?: string
  /**
   * Requests a few entries of each path as `role`, and shows the responses as examples. Readers of the document see them.
   * @default false
   */
  readonly examples?: boolean
}

const noRouter = {
  where: 'describe',
  problem: 'is given no router of this package',
  remedy: 'describe(contentRouter(config)), both of one installation',
}

const nobodysExamples = {
  where: 'describe({ examples })',
  problem: 'shows answers, and nobody is named whose they are',
  remedy: 'name a role',
}

/** OpenAPI: what a role may ask, and what it is answered. */
export async function describe(
  content: Pick<ContentRouter, 'as'>,
  { role, url = '/', examples = false }: DescribeOptions = {},
): Promise<ApiDocument> {
  const explored = exploredRouter(content)
  if (explored === null) throw new ConfigError([noRouter])
  if (examples && role === undefined) throw new ConfigError([nobodysExamples])
  const { settings, rights } = await explored.rightsGiven(role)
  if (!examples || role === undefined) return describeApi(settings, rights, { url })
  const shown = await readExamples(typesShownTo(settings, rights.grants), content.as(role))
  return describeApi(settings, rights, { url, examples: shown })
}
