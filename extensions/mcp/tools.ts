import { RequestError } from '../../lib/errors'
import type { ResponseOptions, ShownType } from '../../lib/describe'
import type { PlainReader } from '../../lib/reader'
import { describeType, toolsOf } from './describe-type'
import type { Answer } from './fit-answer'

/** The types and the reader of the role that calls the tools. */
export interface ToolCaller {
  /** The types that the role may read, and the types that these link. */
  readonly types: readonly ShownType[]
  readonly options: ResponseOptions
  readonly reader: PlainReader
  readonly maxCharacters: number
}

export type Arguments = Readonly<Record<string, unknown>>

/** A tool of the Model Context Protocol. No tool writes. */
export interface Tool {
  readonly description: string
  /** The types that the tool accepts. An empty list hides the tool. Null: the tool has no argument `type`. */
  readonly typesFor: ((caller: ToolCaller) => readonly ShownType[]) | null
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
  readonly call: (caller: ToolCaller, given: Arguments, signal: AbortSignal) => Promise<Answer>
}

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const

const documentId = { ...text, description: 'The documentId of the entry. A single type needs none.' }

const versionArguments = {
  locale: { ...text, description: 'A locale such as "en", for localized types.' },
  status: { enum: ['published', 'draft'], description: 'Default: published.' },
}

const entryArguments = {
  fields: { ...texts, description: 'Names of attributes. Default: all attributes.' },
  populate: {
    type: ['object', 'array'],
    description: 'Relations, as ["author"] or { "author": { "fields": ["name"] } }. Default: no relation.',
  },
  ...versionArguments,
}

const listArguments = {
  filters: {
    type: 'object',
    description:
      'Conditions, as { "title": { "$containsi": "tea" }, "author": { "name": { "$eq": "Ada" } } }. $and, $or and $not combine conditions. describe_type lists the operators.',
  },
  sort: { ...texts, description: 'Attributes with a direction, as ["title:asc", "author.name:desc"].' },
  pagination: {
    type: 'object',
    description: '{ "page": 1, "pageSize": 25 } or { "start": 0, "limit": 25 }.',
  },
}

const typesOf =
  (tool: string) =>
  ({ types }: ToolCaller): readonly ShownType[] =>
    types.filter((type) => toolsOf(type).includes(tool))

/** The arguments that are parameters of a query. */
const queryOf = (given: Arguments, ...others: readonly string[]): object =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name !== 'type' && !others.includes(name)))

function readEntry(
  { types, reader }: ToolCaller,
  given: Arguments,
  query: object,
  signal: AbortSignal,
): Promise<Answer> {
  const type = String(given['type'])
  const { documentId: id } = given
  const isSingle = types.find(({ key }) => key === type)?.model.kind === 'singleType'
  if (isSingle) return reader.single(type, query, { signal })
  if (typeof id === 'string') return reader.findOne(type, id, query, { signal })
  throw new RequestError(400, 'The argument documentId is missing')
}

export const tools: Readonly<Record<string, Tool>> = {
  list_types: {
    description: 'Lists the content types that you can read, and the tools that read each type.',
    typesFor: null,
    properties: {},
    call: ({ types }) => {
      const served = types.filter(({ reads }) => reads.length > 0)
      const data = served.map((type) => ({ type: type.key, kind: type.model.kind, tools: toolsOf(type) }))
      return Promise.resolve({ data })
    },
  },
  describe_type: {
    description:
      'Lists the attributes of a type, the operators of their filters, and the relations of the type.',
    typesFor: ({ types }) => types,
    properties: {},
    call: ({ types, options }, { type }) => {
      const [data] = types.filter(({ key }) => key === type).map((one) => describeType(one, types, options))
      return Promise.resolve({ data })
    },
  },
  find: {
    description: 'Reads a page of entries of a type, with filters, sorts and relations.',
    typesFor: typesOf('find'),
    properties: {
      ...listArguments,
      _q: { ...text, description: 'Text to search for in all text attributes.' },
      ...entryArguments,
    },
    call: ({ reader }, given, signal) => reader.find(String(given['type']), queryOf(given), { signal }),
  },
  find_one: {
    description: 'Reads one entry by its documentId, or the entry of a single type.',
    typesFor: typesOf('find_one'),
    properties: { documentId, ...entryArguments },
    call: (caller, given, signal) => readEntry(caller, given, queryOf(given, 'documentId'), signal),
  },
  read_text: {
    description:
      'Reads a part of a long text of one entry, if the result of another tool contains a cut text.',
    typesFor: typesOf('find_one'),
    properties: {
      ...{ documentId, attribute: text, ...versionArguments },
      from: { type: 'integer', minimum: 0, description: 'Number of characters to skip. Default: 0.' },
    },
    required: ['attribute'],
    call: async (caller, given, signal) => {
      const attribute = String(given['attribute'])
      const query = { ...queryOf(given, 'documentId', 'attribute', 'from'), fields: [attribute] }
      const { data } = await readEntry(caller, given, query, signal)
      const { [attribute]: value } = data as Readonly<Record<string, unknown>>
      const whole = typeof value === 'string' ? value : JSON.stringify(value ?? null)
      const from = Number(given['from'] ?? 0)
      // JSON writes some characters as two.
      const part = whole.slice(from, from + Math.floor(caller.maxCharacters / 3))
      return { data: { text: part, from, to: from + part.length, length: whole.length } }
    },
  },
  aggregate: {
    description: 'Counts entries of a type and combines their values, as sums or averages, in groups.',
    typesFor: ({ types }) =>
      types.filter(({ readings }) => readings.some(({ name }) => name === 'aggregate')),
    properties: {
      aggregate: {
        type: 'object',
        description: '{ "count": true, "sum": ["views"] }, with count, countDistinct, sum, avg, min and max.',
      },
      groupBy: { ...texts, description: 'Attributes, as ["author.name", "publishedAt:month"].' },
      having: { type: 'object', description: 'Conditions on aggregates, as { "count": { "$gte": 5 } }.' },
      ...{ ...listArguments, ...versionArguments },
    },
    required: ['aggregate'],
    call: async ({ reader }, given, signal) => {
      const { data, ...meta } = await reader.read(String(given['type']), 'aggregate', queryOf(given), {
        signal,
      })
      return { data, ...meta }
    },
  },
}
