import type { Fault } from '../errors'
import {
  morphInverseKinds,
  morphOwnerKinds,
  pairKinds,
  type Attribute,
  type Declared,
  type FoundDefinition,
  type CostlyAttribute,
  attributePointer,
  type ExistingTable,
  isText,
  type KeyType,
  type TimeType,
  type BuiltInColumn,
} from './declared'
import { type CustomAttribute, type CustomTypeSources, customTypeOf } from './custom-fields'
import {
  formFaults,
  isAttributeForm,
  isComponentForm,
  isExistingAttributeForm,
  isExistingTypeForm,
  isTypeForm,
  textIn,
} from './form-faults'
import { isRecord } from './read-source'
import { columnName, tableName } from './names'

const partOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

/** Strapi's start fails without a table or a list of values for these. It ignores all else. */
function startsWith(written: unknown): boolean {
  if (!isRecord(written)) return false
  const { type, relation } = written
  if (type === 'customField') return false
  if (type === 'enumeration') return Array.isArray(written['enum'])
  if (type === 'component') return isText(written['component'])
  if (type !== 'relation') return isText(type)
  if ((morphOwnerKinds as readonly unknown[]).includes(relation)) return true
  const kinds: readonly unknown[] = [...pairKinds, ...morphInverseKinds]
  return kinds.includes(relation) && isText(written['target'])
}

function declareAttributes(
  { where, uid, value }: FoundDefinition,
  isExisting: boolean,
  typing: CustomTypeSources,
) {
  const sound = new Map<string, Attribute>()
  const aside = new Set<string>()
  const custom: CustomAttribute[] = []
  const table = tableName(textIn(value['collectionName']))
  const faults: Fault[] = []
  const costs: CostlyAttribute[] = []
  /** A custom field is checked as the type that it is stored as. */
  const typed = (attribute: string, written: unknown): unknown => {
    const { type: kind, customField } = partOf(written)
    if (kind !== 'customField' || !isText(customField) || customField === '') return written
    const type = customTypeOf(typing, customField)
    const field = { uid, attribute, customField, table, column: columnName(attribute) }
    if (!typing.declaredTypes.has(customField)) custom.push({ ...field, isKnown: type !== undefined })
    // Unknown types are checked as a text. The values of an enumeration are declared nowhere.
    return { ...partOf(written), type: type === undefined || type === 'enumeration' ? 'string' : type }
  }
  const isRight = isExisting ? isExistingAttributeForm : isAttributeForm
  for (const [name, written] of Object.entries(partOf(value['attributes']))) {
    const attribute = typed(name, written)
    if (isRight(attribute)) {
      sound.set(name, attribute)
      continue
    }
    aside.add(name)
    const found = formFaults(where, attributePointer(name), isRight)
    const problem = found.map((fault) => fault.problem).join(', ')
    if (!isExisting && startsWith(written)) costs.push({ uid, attribute: name, problem })
    else faults.push(...found)
  }
  return { sound, aside, custom, faults, costs }
}

export interface Declaring {
  readonly declared: Declared
  /** False if the definition itself has faults, so that missing parts are a consequence. */
  readonly isWhole: boolean
  readonly custom: readonly CustomAttribute[]
  readonly faults: readonly Fault[]
  readonly costs: readonly CostlyAttribute[]
}

export interface DefinitionReading extends CustomTypeSources {
  /** Private in every type. */
  readonly privateNames: readonly string[]
  /** True if the locales of a Strapi project are a type. */
  readonly locales: boolean
}

/** Its form is checked elsewhere. */
export const privateNamesIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter(isText) : []

type Written<Type> = string | { readonly name: string; readonly type?: Type } | null | undefined

function columnOf<Type>(written: Written<Type>, type: Type): BuiltInColumn<Type> | null {
  if (written === undefined || written === null) return null
  return typeof written === 'string' ? { name: written, type } : { type, ...written }
}

/** Its form is checked elsewhere. */
function existingTableOf(written: unknown): ExistingTable | null {
  if (!isRecord(written)) return null
  const { id, documentId, createdAt, updatedAt, schema } = written as Partial<
    Record<'id' | 'documentId', Written<KeyType>> & Record<'createdAt' | 'updatedAt', Written<TimeType>>
  > & { readonly schema?: string }
  return {
    id: columnOf(id, 'integer') ?? { name: 'id', type: 'integer' },
    documentId: columnOf(documentId, 'string'),
    createdAt: columnOf(createdAt, 'datetime'),
    updatedAt: columnOf(updatedAt, 'datetime'),
    schema: schema ?? null,
  }
}

export function declare(found: FoundDefinition, builtIn: boolean, declaring: DefinitionReading): Declaring {
  const { where, uid, component, value } = found
  const existing = component ? null : existingTableOf(value['table'])
  const { sound, aside, ...findings } = declareAttributes(found, existing !== null, declaring)
  const [info, options] = [partOf(value['info']), partOf(value['options'])]
  const { localized } = partOf(partOf(value['pluginOptions'])['i18n'])
  const name = uid.slice(uid.indexOf('.') + 1)
  const privateNames = privateNamesIn(options['privateAttributes'])
  // Strapi hides passwords, whatever the definition says.
  const passwords = [...sound].flatMap(([own, { type }]) => (type === 'password' ? own : []))
  const hidden = new Set([...declaring.privateNames, ...privateNames, ...passwords])
  const declared: Declared = {
    where,
    uid,
    kind: component ? 'component' : value['kind'] === 'singleType' ? 'singleType' : 'collectionType',
    collectionName: textIn(value['collectionName']),
    existing,
    singularName: component ? name : textIn(info['singularName']),
    pluralName: component ? name : textIn(info['pluralName']),
    draftAndPublish: options['draftAndPublish'] === true,
    // Strapi reads it of content types alone.
    localized: !component && localized === true,
    showsCreators: !component && options['populateCreatorFields'] === true,
    builtIn,
    // The list overrides `"private": false` of the attribute.
    attributes: new Map(
      [...sound].map(([own, one]) => [own, hidden.has(own) ? { ...one, private: true } : one]),
    ),
    privateNames,
    hidden,
    aside,
    emptyRelations: [],
  }
  const isRight = component ? isComponentForm : existing === null ? isTypeForm : isExistingTypeForm
  const form = isRight(value) ? [] : formFaults(where, '', isRight)
  // The uid of a content type is made of its checked singularName.
  const isUid = !component || /^\p{L}[\p{L}\p{N}_-]*\.\p{L}[\p{L}\p{N}_-]*$/u.test(uid)
  const problem = `${JSON.stringify(uid)} is not the uid of a component`
  const wrongUid = { where, problem, remedy: 'write a category and a name, such as shared.seo' }
  const faults = [...(isUid ? [] : [wrongUid]), ...form, ...findings.faults]
  return { ...findings, declared, isWhole: form.length === 0, faults }
}
