import type { ErrorObject } from 'ajv'
import type { Fault } from '../errors'
import { morphInverseKinds, morphOwnerKinds, pairKinds, scalarTypes } from './attribute'
import { didYouMean } from './nearest'

const attributeTypes = [...scalarTypes, 'media', 'relation', 'component', 'dynamiczone', 'customField']

const examples: Readonly<Record<string, string>> = {
  kind: 'collectionType or singleType',
  collectionName: 'the name of its table, for example articles',
  info: '"singularName": "article" and "pluralName": "articles"',
  singularName: 'for example article',
  pluralName: 'for example articles',
  attributes: 'an object, empty if there are none',
  type: `one of ${attributeTypes.join(', ')}`,
  relation: `one of ${[...pairKinds, ...morphOwnerKinds, ...morphInverseKinds].join(', ')}`,
  target: 'for example api::article.article',
  morphBy: 'the attribute of the target that leads here, a morphToOne or morphToMany',
  component: 'for example shared.seo',
  components: 'a list, for example ["shared.seo"]',
  enum: 'a list of its values',
}

export const step = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value)
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '')

interface AjvExplanation {
  readonly below?: string
  readonly problem: string
  readonly remedy?: string
}

function explainEnum(value: unknown, allowed: unknown): AjvExplanation {
  return {
    problem: `${shown(value)} is unknown`,
    remedy: didYouMean(wordOf(value), allowed as readonly string[]),
  }
}

function explanationOf({ keyword, data, message, params }: ErrorObject): AjvExplanation | undefined {
  const { missingProperty, allowedValues, tagValue, type } = params as Readonly<Record<string, unknown>>
  switch (keyword) {
    // Its `then` reports the fault.
    case 'if':
      return undefined
    case 'required': {
      const missing = wordOf(missingProperty)
      const remedy = examples[missing]
      return { problem: `${missing} is missing`, ...(remedy === undefined ? {} : { remedy }) }
    }
    case 'discriminator':
      // `required` reports a missing type.
      return tagValue === undefined ? undefined : { below: '/type', ...explainEnum(tagValue, attributeTypes) }
    case 'enum':
      return explainEnum(data, allowedValues)
    case 'pattern':
      return { problem: `${shown(data)} is no name`, remedy: 'a letter, then letters, digits, _ and -' }
    case 'type':
      return { problem: `${shown(data)} is not of the type ${wordOf(type)}` }
    case 'false schema':
      return {
        problem: 'columns and join tables under names of their own are not supported',
        remedy: 'leave it out',
      }
    default:
      return { problem: message ?? keyword }
  }
}

export function explainFault(where: string, above: string, error: ErrorObject): readonly Fault[] {
  const explanation = explanationOf(error)
  if (explanation === undefined) return []
  const { below = '', ...said } = explanation
  return [{ where, pointer: above + error.instancePath + below, ...said }]
}
