import { type ErrorObject, Ajv, type ValidateFunction } from 'ajv'
import type { Fault } from '../errors'
import {
  type Attribute,
  isText,
  keyTypes,
  morphInverseKinds,
  morphOwnerKinds,
  pairKinds,
  scalarTypes,
  timeTypes,
} from './declared'
import { didYouMean } from './nearest'

const attributeTypes = [...scalarTypes, 'media', 'relation', 'component', 'dynamiczone', 'customField']

const examples: Readonly<Record<string, string>> = {
  kind: 'write collectionType or singleType',
  collectionName: 'write the name of the table, such as articles',
  info: 'write names such as "singularName": "article" and "pluralName": "articles"',
  singularName: 'write a name such as article',
  pluralName: 'write a name such as articles',
  attributes: 'write an object. If the type has no attributes, write an empty object',
  type: `use one of ${attributeTypes.join(', ')}`,
  relation: `use one of ${[...pairKinds, ...morphOwnerKinds, ...morphInverseKinds].join(', ')}`,
  target: 'write a uid such as api::article.article',
  morphBy: 'write the name of the morphToOne or morphToMany attribute in the target type',
  component: 'write a uid such as shared.seo',
  components: 'write a list such as ["shared.seo"]',
  enum: 'write a list of the values',
  customField: 'write a name such as plugin::color-picker.color',
}

export const textIn = (value: unknown): string => (isText(value) ? value : '')

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return isText(value) ? JSON.stringify(value.slice(0, 80)) : String(value)
}

interface AjvExplanation {
  readonly below?: string
  readonly problem: string
  readonly remedy?: string
}

function explainEnum(value: unknown, allowed: unknown): AjvExplanation {
  return {
    problem: `the value ${shown(value)} is unknown`,
    remedy: didYouMean(textIn(value), allowed as readonly string[]),
  }
}

function explanationOf(error: ErrorObject): AjvExplanation | undefined {
  const { keyword, data, message, params, schemaPath } = error
  const { missingProperty, allowedValues, tagValue, type } = params as Readonly<Record<string, unknown>>
  switch (keyword) {
    // Its `then` reports the fault.
    case 'if':
      return undefined
    case 'required': {
      // `anyOf` reports them together.
      if (schemaPath.includes('/anyOf/')) return undefined
      const missing = textIn(missingProperty)
      const remedy = examples[missing]
      return { problem: `the key ${missing} is missing`, ...(remedy === undefined ? {} : { remedy }) }
    }
    case 'discriminator':
      // `required` reports a missing type.
      return tagValue === undefined ? undefined : { below: '/type', ...explainEnum(tagValue, attributeTypes) }
    case 'enum':
      return allowedValues === typesOfExisting && attributeTypes.includes(textIn(data))
        ? { problem: `the value ${shown(data)} is not supported for an existing table` }
        : explainEnum(data, allowedValues)
    case 'pattern':
      return params['pattern'] === existingName.pattern
        ? {
            problem: `the name ${shown(data)} of a table or column is not supported`,
            remedy: 'remove dots, question marks and quotes from the name',
          }
        : {
            problem: `the name ${shown(data)} is invalid`,
            remedy: 'write a name that starts with a letter and contains only letters, digits, _ and -',
          }
    case 'additionalProperties':
      return { problem: `the key ${textIn(params['additionalProperty'])} is not allowed` }
    case 'const':
      return { problem: `the value ${shown(data)} is not supported for an existing table` }
    case 'anyOf':
      return { problem: 'a relation of an existing table requires joinColumn, joinTable or mappedBy' }
    case 'type':
      return { problem: `the value ${shown(data)} is not of the type ${textIn(type)}` }
    case 'false schema':
      return {
        problem: 'only a type with the key "table" can set the names of columns and join tables',
        remedy: 'remove this key. Or add "table": {} to the type if your application created the table',
      }
    default:
      return { problem: message ?? keyword }
  }
}

const text = { type: 'string', minLength: 1 }
const flag = { type: 'boolean' }
const identifier = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]*$' }

/** Strapi quotes the name of a table as it is. */
const tablePattern = { type: 'string', pattern: '^[\\p{L}\\p{N}_][\\p{L}\\p{M}\\p{N}_-]*$' }

const object = (properties: object, required: readonly string[] = []): object => {
  return { type: 'object', properties, required }
}

const shared = {
  collectionName: tablePattern,
  table: { type: 'object' },
  options: object({ draftAndPublish: flag, privateAttributes: { type: 'array', items: { type: 'string' } } }),
  pluginOptions: object({ i18n: object({ localized: flag }) }),
  attributes: { type: 'object' },
}

const contentType = (properties: object): object =>
  object(
    {
      ...properties,
      kind: { enum: ['collectionType', 'singleType'] },
      info: object({ singularName: identifier, pluralName: identifier }, ['singularName', 'pluralName']),
    },
    ['kind', 'collectionName', 'info', 'attributes'],
  )

/** Knex splits names at dots, and drivers replace question marks. */
const existingName = { type: 'string', pattern: '^[^.?"`\\u0000]+$' } as const

const columnOf = (types: readonly string[], ...others: readonly string[]): object => ({
  type: ['string', 'object', ...others],
  pattern: existingName.pattern,
  properties: { name: existingName, type: { enum: types } },
  required: ['name'],
  additionalProperties: false,
})

const [keyColumn, timeColumn] = [columnOf(keyTypes), columnOf(timeTypes, 'null')]

/** Drafts, locales and creators need columns that only the layout of Strapi has. */
const existingType = contentType({
  ...shared,
  collectionName: existingName,
  table: {
    ...object({
      existing: { const: true },
      id: keyColumn,
      documentId: keyColumn,
      createdAt: timeColumn,
      updatedAt: timeColumn,
      schema: existingName,
    }),
    additionalProperties: false,
  },
  options: object({ draftAndPublish: { const: false }, populateCreatorFields: { const: false } }),
  pluginOptions: object({ i18n: object({ localized: { const: false } }) }),
})

const component = object(shared, ['collectionName', 'attributes'])

const when = (relations: readonly string[], then: object): object => ({
  if: { properties: { relation: { enum: relations } }, required: ['relation'] },
  then,
})

/** Names of columns that a definition may override in Strapi. Ignored, they would lead to wrong columns. */
const ownNames = ['columnName', 'joinTable', 'joinColumn', 'morphColumn']

const namedColumn = object({ name: existingName }, ['name'])

/** Components, zones and media are stored in tables of Strapi's layout. */
const typesOfExisting = [...scalarTypes, 'relation']

const ofExistingTable = {
  properties: {
    private: flag,
    type: { enum: typesOfExisting },
    relation: { enum: pairKinds },
    columnName: existingName,
    useJoinTable: false,
    joinColumn: object({ name: existingName, referencedColumn: existingName }, ['name']),
    joinTable: object(
      {
        name: existingName,
        joinColumn: namedColumn,
        inverseJoinColumn: namedColumn,
        orderColumn: namedColumn,
      },
      ['name', 'joinColumn', 'inverseJoinColumn'],
    ),
  },
  if: { properties: { type: { const: 'relation' } } },
  then: { anyOf: ['joinColumn', 'joinTable', 'mappedBy'].map((name) => ({ required: [name] })) },
}

const plainTypes = scalarTypes.filter((type) => type !== 'enumeration')

const attribute = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [
    { properties: { type: { enum: plainTypes } } },
    {
      properties: { type: { const: 'enumeration' }, enum: { type: 'array', items: { type: 'string' } } },
      required: ['enum'],
    },
    { properties: { type: { const: 'customField' }, customField: text }, required: ['customField'] },
    { properties: { type: { const: 'media' }, multiple: flag } },
    {
      properties: { type: { const: 'component' }, component: text, repeatable: flag },
      required: ['component'],
    },
    {
      properties: { type: { const: 'dynamiczone' }, components: { type: 'array', items: text } },
      required: ['components'],
    },
    {
      properties: {
        type: { const: 'relation' },
        relation: { enum: [...pairKinds, ...morphOwnerKinds, ...morphInverseKinds] },
        target: text,
        inversedBy: text,
        mappedBy: text,
        morphBy: text,
        useJoinTable: flag,
      },
      required: ['relation'],
      allOf: [
        when(pairKinds, { required: ['target'] }),
        when(morphInverseKinds, { required: ['target', 'morphBy'] }),
      ],
    },
  ],
}

const ajv = new Ajv({
  allErrors: true,
  discriminator: true,
  strict: true,
  strictRequired: false,
  strictTypes: false,
  verbose: true,
})

const inStrapisLayout = {
  properties: { private: flag, ...Object.fromEntries(ownNames.map((name) => [name, false])) },
}

export const isTypeForm = ajv.compile(contentType(shared))
export const isExistingTypeForm = ajv.compile(existingType)
export const isComponentForm = ajv.compile(component)
export const isAttributeForm: ValidateFunction<Attribute> = ajv.compile<Attribute>({
  ...attribute,
  ...inStrapisLayout,
})
export const isExistingAttributeForm: ValidateFunction<Attribute> = ajv.compile<Attribute>({
  ...attribute,
  ...ofExistingTable,
})

export const formFaults = (
  where: string,
  above: string,
  { errors }: { readonly errors?: readonly ErrorObject[] | null },
): readonly Fault[] =>
  (errors ?? []).flatMap((error) => {
    const explanation = explanationOf(error)
    if (explanation === undefined) return []
    const { below = '', ...fault } = explanation
    return { where, pointer: above + error.instancePath + below, ...fault }
  })
