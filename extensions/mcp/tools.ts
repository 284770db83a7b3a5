import { RequestError } from '../../lib/errors'
import type { ResponseOptions } from '../../lib/describe'
import type { PlainReader } from '../../lib/reader'
import { describeType, type ToolType } from './describe-type'
import { type Answer, cutAnswer } from './fit-answer'

/** The types and the reader of the role that calls the tools. */
export interface ToolCaller {
  /** The types that the role may read, and the types that these link. */
  readonly types: readonly ToolType[]
  readonly options: ResponseOptions
  readonly reader: PlainReader
  readonly maxCharacters: number
}

/** The arguments of a call, which match the schema of the tool. The others are parameters of the query. */
export interface Arguments {
  readonly type: string
  readonly documentId?: string
  readonly types?: readonly string[]
  readonly attribute: string
  readonly from?: number
  readonly limit?: number
  readonly fields?: readonly string[]
}

/** A tool of the Model Context Protocol. No tool writes. */
export interface Tool {
  readonly description: string
  /** The schemas of the arguments. `type` is the schema of the key of a type. */
  readonly properties: (type: object) => Readonly<Record<string, object>>
  /** Default: `type`. */
  readonly required?: string[]
  readonly call: (caller: ToolCaller, given: Arguments, signal: AbortSignal) => Answer | Promise<Answer>
}

const text = { type: 'string' } as const
const textOf = (description: string): object => ({ ...text, description })
const textsOf = (description: string): object => ({ type: 'array', items: text, description })
const objectOf = (description: string): object => ({ type: 'object', description })

const idArgument = { documentId: textOf('The documentId of the entry. A single type needs none.') }
const versionArguments = {
  locale: textOf('A locale such as "en", for localized types.'),
  status: { ...text, enum: ['published', 'draft'], description: 'Default: published.' },
}

const entryArguments = {
  fields: textsOf('Names of attributes, as ["title", "views"]. Default: all attributes.'),
  populate: objectOf('Relations to include, as { "owner": true } or { "owner": { "fields": ["name"] } }.'),
  ...versionArguments,
}

const listArguments = {
  filters: objectOf(
    'Conditions, as { "title": { "$containsi": "tea" }, "owner": { "name": { "$eq": "Ada" } } }. $and, $or and $not combine conditions. describe_type lists the operators.',
  ),
  _q: textOf('Text to search for. Types with the tool search find words, and list the best matches first.'),
  sort: textsOf('Attributes with a direction, as ["title:asc", "owner.name:desc"].'),
  pagination: objectOf('{ "page": 1, "pageSize": 25 } or { "start": 0, "limit": 25 }.'),
}

export const typesFor = (tool: string, { types }: ToolCaller): readonly ToolType[] =>
  types.filter(({ tools: names }) => names.includes(tool))

function readEntry(
  { types, reader }: ToolCaller,
  { type, documentId: id, ...query }: Omit<Arguments, 'attribute'>,
  signal: AbortSignal,
): Promise<Answer> {
  const isSingle = types.find(({ key }) => key === type)?.model.kind === 'singleType'
  if (isSingle) return reader.single(type, query, { signal })
  if (id !== undefined) return reader.findOne(type, id, query, { signal })
  throw new RequestError(400, 'The argument documentId is missing')
}

interface MatchesMeta {
  readonly search: { readonly ranks: Readonly<Record<string, number>> }
  readonly pagination: { readonly limit: number }
}

/** The best entries of each type contain the best entries of all types. */
async function searchTypes(caller: ToolCaller, given: Arguments, signal: AbortSignal): Promise<Answer> {
  const { types = typesFor('search', caller).map(({ key }) => key), limit = 10, ...words } = given
  const query = { ...words, ranks: true, pagination: { start: 0, limit } }
  // A page can have a smaller limit, by the options of the role.
  let shown = limit
  const pages = types.map(async (type) => {
    const { data, meta } = await caller.reader.find(type, query, { signal })
    const { search, pagination } = meta as MatchesMeta
    shown = Math.min(shown, pagination.limit)
    return data.map((entry) => ({ type, rank: search.ranks[String(entry['id'])] ?? 0, entry }))
  })
  const ranked = (await Promise.all(pages)).flat().sort((one, other) => other.rank - one.rank)
  return cutAnswer({ data: ranked.slice(0, shown) }, 250)
}

export const tools: Readonly<Record<string, Tool>> = {
  list_types: {
    description: 'Lists the content types that you can read, and the tools that read each type.',
    properties: () => ({}),
    required: [],
    call: ({ types }) => ({
      data: types
        .filter(({ reads }) => reads.length > 0)
        .map(({ key, model, tools: names }) => ({ type: key, kind: model.kind, tools: names })),
    }),
  },
  describe_type: {
    description: 'Lists the attributes of a type, with the operators of their filters, and its relations.',
    properties: (type) => ({ type }),
    call: ({ types, options }, { type }) => ({
      data: types.filter(({ key }) => key === type).map((one) => describeType(one, types, options))[0],
    }),
  },
  find: {
    description: 'Reads a page of entries of a type, with filters, sorts and relations.',
    properties: (type) => ({ type, ...listArguments, ...entryArguments }),
    call: ({ reader }, { type, ...query }, signal) => reader.find(type, query, { signal }),
  },
  search: {
    description: 'Lists the best matches of several types, with cut texts. The tool find with _q reads more.',
    properties: (type) => ({
      _q: { ...textOf('All words must match. Quotes enclose phrases. - excludes a word.'), minLength: 1 },
      types: { type: 'array', items: type, minItems: 1, description: 'Default: all types.' },
      limit: { type: 'integer', minimum: 1, maximum: 25, description: 'Number of entries. Default: 10.' },
      ...versionArguments,
    }),
    required: ['_q'],
    call: searchTypes,
  },
  find_one: {
    description: 'Reads one entry by its documentId, or the entry of a single type.',
    properties: (type) => ({ type, ...idArgument, ...entryArguments }),
    call: readEntry,
  },
  read_text: {
    description: 'Reads a part of a long text of one entry, which another tool has cut.',
    properties: (type) => ({
      ...{ type, ...idArgument, attribute: text, ...versionArguments },
      from: { type: 'integer', minimum: 0, description: 'Number of characters to skip. Default: 0.' },
    }),
    required: ['type', 'attribute'],
    call: async (caller, { attribute, from = 0, ...entry }, signal) => {
      const { data } = await readEntry(caller, { ...entry, fields: [attribute] }, signal)
      const { [attribute]: value } = data as Readonly<Record<string, unknown>>
      const whole = typeof value === 'string' ? value : JSON.stringify(value ?? null)
      // JSON writes some characters as two.
      const part = whole.slice(from, from + Math.floor(caller.maxCharacters / 3))
      return { data: { text: part, from, to: from + part.length, length: whole.length } }
    },
  },
  aggregate: {
    description: 'Counts entries of a type and combines their values, as sums or averages, in groups.',
    properties: (type) => ({
      ...{ type, ...listArguments, ...versionArguments },
      aggregate: objectOf('{ "count": true, "sum": ["views"] }. Also countDistinct, avg, min and max.'),
      groupBy: textsOf('Attributes, as ["owner.name", "publishedAt:month"].'),
      having: objectOf('Conditions on aggregates, as { "count": { "$gte": 5 } }.'),
    }),
    required: ['type', 'aggregate'],
    call: async ({ reader }, { type, ...query }, signal) => ({
      data: null,
      ...(await reader.read(type, 'aggregate', query, { signal })),
    }),
  },
}
