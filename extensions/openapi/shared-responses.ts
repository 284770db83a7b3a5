import { type JsonPart, listOf, objectOf, refTo } from './json-part'

const whole: JsonPart = { type: 'integer' }
const text: JsonPart = { type: 'string' }
const truth: JsonPart = { type: 'boolean' }
const cursor: JsonPart = { type: ['string', 'null'] }

const total = { total: whole, estimated: truth }
const counted = { pageCount: whole, ...total }

const byNumber = objectOf({ page: whole, pageSize: whole, ...counted }, ['page', 'pageSize'])

const byOffset = objectOf({ start: whole, limit: whole, ...total }, ['start', 'limit'])

const edges = { hasNextPage: truth, hasPreviousPage: truth, startCursor: cursor, endCursor: cursor }

const byCursor = objectOf({ pageSize: whole, ...edges, ...counted }, ['pageSize', ...Object.keys(edges)])

const metaOf = (...names: readonly string[]): JsonPart =>
  objectOf({ pagination: { anyOf: names.map((name) => refTo('schemas', name)) } })

/** Pagination by the parameters of the request, and errors. */
export const sharedSchemas = {
  PageByNumber: byNumber,
  PageByOffset: byOffset,
  PageByCursor: byCursor,
  ListMeta: metaOf('PageByNumber', 'PageByOffset', 'PageByCursor'),
  RelationMeta: metaOf('PageByNumber', 'PageByOffset'),
  EntryMeta: { type: 'object' },
  ErrorBody: objectOf({
    data: { type: 'null' },
    error: objectOf({ status: whole, name: text, message: text, details: { type: 'object' } }),
  }),
} as const satisfies JsonPart

/** `meta` of a list, with optional members of readings. */
export const listMetaWith = (members: JsonPart): JsonPart =>
  Object.keys(members).length === 0
    ? refTo('schemas', 'ListMeta')
    : objectOf({ ...(sharedSchemas.ListMeta['properties'] as JsonPart), ...members }, ['pagination'])

export const inJson = (schema: JsonPart, example: object | null = null): JsonPart => ({
  'application/json': { schema, ...(example === null ? {} : { example }) },
})

const refusal = (description: string): JsonPart => ({
  description,
  content: inJson(refTo('schemas', 'ErrorBody')),
})

export const sharedResponses = {
  Malformed: refusal('The query is malformed, contains an unknown name, or exceeds a limit.'),
  Unauthorized: refusal('The credentials are missing or invalid.'),
  Forbidden: refusal('The caller is not allowed to read the requested content.'),
  Missing: refusal('The entry does not exist.'),
  Failed: refusal('The server failed. Search for the id of the response in the log of the server.'),
  Unavailable: {
    ...refusal('Too many requests are waiting, or the response took too long.'),
    headers: {
      'Retry-After': { description: 'The number of seconds until the next try', schema: { type: 'integer' } },
    },
  },
} as const satisfies JsonPart

const answered = (name: keyof typeof sharedResponses): JsonPart => refTo('responses', name)

export interface ResponseForms {
  readonly areTagged: boolean
}

export interface ResponseBody {
  readonly description: string
  readonly content: JsonPart
}

const toAnyone = {
  401: answered('Unauthorized'),
  500: answered('Failed'),
  503: answered('Unavailable'),
}

const unchanged = { description: 'The response with the ETag in If-None-Match is still valid.' }

export const responsesOf = (body: ResponseBody, { areTagged }: ResponseForms): JsonPart => ({
  200: body,
  ...(areTagged ? { 304: unchanged } : {}),
  400: answered('Malformed'),
  403: answered('Forbidden'),
  ...toAnyone,
})

export const responseIfMissing: JsonPart = { 404: answered('Missing') }

const servedType = objectOf({ uid: text, kind: text, path: text, one: text }, ['uid', 'kind'])

/** Responses of the mount itself, which lists the types. */
export const indexResponses: JsonPart = {
  200: {
    description: 'The types',
    content: inJson(objectOf({ data: listOf(servedType), meta: refTo('schemas', 'EntryMeta') })),
  },
  ...toAnyone,
}
