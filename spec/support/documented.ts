import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020'

export type Part = Readonly<Record<string, unknown>>

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly schema: Part
  readonly example?: unknown
}

export interface Operation {
  readonly path: string
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly isList: boolean
}

export interface OpenApi {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly operationId: string; readonly parameters?: readonly Part[] } }>
  >
  readonly components: {
    readonly schemas: Readonly<Record<string, Part>>
    readonly parameters: Readonly<Record<string, Part>>
  }
}

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of `#/components/schemas/Article`. */
const lastOf = (ref: unknown): string => String(ref).split('/').at(-1) ?? ''

export function operationsOf({ paths, components }: OpenApi): readonly Operation[] {
  const settled = (parameter: Part): Parameter =>
    (parameter['$ref'] === undefined
      ? parameter
      : components.parameters[lastOf(parameter['$ref'])]) as unknown as Parameter
  return Object.entries(paths).map(([path, { get }]) => ({
    path,
    operationId: get.operationId,
    parameters: (get.parameters ?? []).map(settled),
    isList: get.operationId.startsWith('list'),
  }))
}

/** What an object may have is all that it may have, and tags stand where the type that they tell of is told. */
function closed(schema: unknown, schemas: OpenApi['components']['schemas']): unknown {
  if (Array.isArray(schema)) return schema.map((one) => closed(one, schemas))
  if (!isPart(schema)) return schema
  const { allOf } = schema
  if (Array.isArray(allOf)) {
    const [entry, tag] = allOf as readonly Part[]
    const whole = schemas[lastOf(entry?.['$ref'])]
    const both = {
      required: [
        ...((whole?.['required'] as string[] | undefined) ?? []),
        ...(tag?.['required'] as string[]),
      ],
      properties: { ...(whole?.['properties'] as Part), ...(tag?.['properties'] as Part) },
    }
    return closed({ type: 'object', ...both }, schemas)
  }
  const below = Object.entries(schema).map(([name, of]) => [name, closed(of, schemas)] as const)
  const isClosed = isPart(schema['properties']) && schema['type'] === 'object'
  return { ...Object.fromEntries(below), ...(isClosed ? { additionalProperties: false } : {}) }
}

const date = /^\d{4}-\d\d-\d\d$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export interface Documented {
  readonly document: OpenApi
  readonly operations: readonly Operation[]
  /** What is wrong with an answer of an operation, where anything is. */
  readonly faultsOf: (operation: Operation, status: number, body: unknown) => unknown
}

const pointerTo = ({ path }: Operation, status: number): string =>
  `/paths/${encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))}/get/responses/${String(status)}`

/** Answers are looked at by the schemas of the document, in which nothing may stand that they do not tell. */
export function documented(document: OpenApi): Documented {
  const ajv = new Ajv2020({ strict: false, formats: { date, 'date-time': instant }, allErrors: true })
  ajv.addSchema(closed(document, document.components.schemas) as object, 'document')
  const compiled = new Map<string, ValidateFunction>()
  const validate = (operation: Operation, status: number): ValidateFunction => {
    const own = `document#${pointerTo(operation, status)}`
    const known = compiled.get(own)
    if (known !== undefined) return known
    if (ajv.getSchema(own) === undefined) throw new Error(`nothing is told of ${own}`)
    const ref =
      status === 200 ? `${own}/content/application~1json/schema` : 'document#/components/schemas/ErrorBody'
    const made = ajv.compile({ $ref: ref })
    compiled.set(own, made)
    return made
  }
  return {
    document,
    operations: operationsOf(document),
    faultsOf: (operation, status, body) => {
      const isValid = validate(operation, status)
      return isValid(body) ? null : isValid.errors
    },
  }
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value : [value]).map(String)

/** As a generator sends it that knows nothing of this API: a list by repeating the name. */
export const written = (name: string, value: unknown): string =>
  texts(value)
    .map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`)
    .join('&')

/** Something that the schema of a parameter allows, for what has no example. */
export function valueFor(schema: Part): unknown {
  const { type, format, pattern, items, minItems, enum: values } = schema
  if (Array.isArray(values)) return values[0]
  switch (type) {
    case 'array':
      return Array.from({ length: Number(minItems ?? 1) }, () => valueFor(items as Part))
    case 'integer':
      return 3
    case 'number':
      return 1.5
    case 'boolean':
      return true
    default:
      if (pattern?.toString().includes(':') === true) return '07:10'
      if (format === 'date') return '2024-03-20'
      return format === 'date-time' ? '2024-03-20T06:00:00.000Z' : '7'
  }
}
