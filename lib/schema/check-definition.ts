import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Fault } from '../errors'
import { type Attribute, morphInverseKinds, morphOwnerKinds, pairKinds, scalarTypes } from './attribute'
import { explainFault } from './explain'

const text = { type: 'string', minLength: 1 }
const flag = { type: 'boolean' }
const identifier = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]*$' }

/** Strapi names a table as it is written: quoted, any letters will do. */
const tableName = { type: 'string', pattern: '^[\\p{L}\\p{N}_][\\p{L}\\p{M}\\p{N}_-]*$' }

const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
})

const shared = {
  collectionName: tableName,
  options: object({ draftAndPublish: flag, privateAttributes: { type: 'array', items: { type: 'string' } } }),
  pluginOptions: object({ i18n: object({ localized: flag }) }),
  attributes: { type: 'object' },
}

const contentType = object(
  {
    ...shared,
    kind: { enum: ['collectionType', 'singleType'] },
    info: object({ singularName: identifier, pluralName: identifier }, ['singularName', 'pluralName']),
  },
  ['kind', 'collectionName', 'info', 'attributes'],
)

const component = object(shared, ['collectionName', 'attributes'])

const when = (relations: readonly string[], then: object): object => ({
  if: { properties: { relation: { enum: relations } }, required: ['relation'] },
  then,
})

/** Names that Strapi lets a definition put in the place of its own; read as its own they would be wrong. */
const ownNames = ['columnName', 'joinTable', 'joinColumn', 'morphColumn']

const plainTypes = scalarTypes.filter((type) => type !== 'enumeration')

const attribute = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  properties: { private: flag, ...Object.fromEntries(ownNames.map((name) => [name, false])) },
  oneOf: [
    { properties: { type: { enum: plainTypes } } },
    {
      properties: { type: { const: 'enumeration' }, enum: { type: 'array', items: { type: 'string' } } },
      required: ['enum'],
    },
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

const isContentType = ajv.compile(contentType)
const isComponent = ajv.compile(component)
const isAttribute: ValidateFunction<Attribute> = ajv.compile<Attribute>(attribute)

const faultsOf = (
  where: string,
  pointer: string,
  errors: readonly ErrorObject[] | null | undefined,
): readonly Fault[] => (errors ?? []).flatMap((error) => explainFault(where, pointer, error))

/** Everything of a definition but its attributes, one by one. */
export function checkDefinition(where: string, value: unknown, asComponent: boolean): readonly Fault[] {
  const isRight = asComponent ? isComponent : isContentType
  return isRight(value) ? [] : faultsOf(where, '', isRight.errors)
}

export type CheckedAttribute = { readonly attribute: Attribute } | { readonly faults: readonly Fault[] }

export function checkAttribute(where: string, pointer: string, value: unknown): CheckedAttribute {
  return isAttribute(value) ? { attribute: value } : { faults: faultsOf(where, pointer, isAttribute.errors) }
}
