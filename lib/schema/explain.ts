import type { ErrorObject } from 'ajv'
import type { Fault } from '../errors'
import { morphInverseKinds, morphOwnerKinds, pairKinds, scalarTypes } from './attribute'
import { didYouMean } from './nearest'

const attributeTypes = [...scalarTypes, 'media', 'relation', 'component', 'dynamiczone']

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
  morphBy: 'the attribute of the target that leads here, of the kind morphToOne or morphToMany',
  component: 'for example shared.seo',
  components: 'a list, for example ["shared.seo"]',
  enum: 'a list of its values',
}

export const step = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

const quote = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

/** One error of ajv in the words of the definitions. `if` only repeats what its `then` said. */
export function explain(where: string, above: string, error: ErrorObject): readonly Fault[] {
  const pointer = above + error.instancePath
  const params = error.params as Readonly<Record<string, unknown>>
  const fault = (at: string, problem: string, remedy?: string): readonly Fault[] => [
    { where, pointer: at, problem, ...(remedy === undefined ? {} : { remedy }) },
  ]
  switch (error.keyword) {
    case 'if':
      return []
    case 'required': {
      const missing = String(params['missingProperty'])
      return fault(pointer, `${missing} is missing`, examples[missing])
    }
    case 'discriminator':
      return explainType(fault, pointer, params['tagValue'])
    case 'enum':
      return fault(
        pointer,
        `${quote(error.data)} is unknown`,
        didYouMean(String(error.data), params['allowedValues'] as string[]),
      )
    case 'pattern':
      return fault(
        pointer,
        `${quote(error.data)} is no name`,
        'letters, digits, _ and -, beginning with a letter',
      )
    case 'type':
      return fault(pointer, `${quote(error.data)} is not of the type ${String(params['type'])}`)
    case 'false schema':
      return fault(pointer, 'names of its own for columns and join tables are not supported', 'take it out')
    default:
      return fault(pointer, error.message ?? error.keyword)
  }
}

function explainType(
  fault: (at: string, problem: string, remedy?: string) => readonly Fault[],
  pointer: string,
  type: unknown,
): readonly Fault[] {
  // A missing type is reported as such by `required`.
  if (type === undefined) return []
  return fault(
    `${pointer}/type`,
    `${quote(type)} is no type of attribute`,
    didYouMean(String(type), attributeTypes),
  )
}
