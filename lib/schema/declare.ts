import { resolve } from 'node:path'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Fault } from '../errors'
import { type Attribute, morphInverseKinds, morphOwnerKinds, pairKinds, scalarTypes } from './attribute'
import { type CustomTyping, type CustomType, customTypeOf } from './custom-fields'
import type { Declared, FoundDefinition } from './declared'
import { isRecord, singularNameOf } from './read-source'
import type { CostlyAttribute } from './loosen-relations'
import type { ModelKind } from './model'
import { folderName } from './names'
import { step, explainFault } from './explain'

const text = { type: 'string', minLength: 1 }
const flag = { type: 'boolean' }
const identifier = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]*$' }

/** Strapi quotes the name of a table as it is. */
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

/** Names of columns that a definition may override in Strapi. Ignored, they would lead to wrong columns. */
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

type CheckedAttribute = { readonly attribute: Attribute } | { readonly faults: readonly Fault[] }

function checkAttribute(where: string, pointer: string, value: unknown): CheckedAttribute {
  return isAttribute(value) ? { attribute: value } : { faults: faultsOf(where, pointer, isAttribute.errors) }
}

interface CustomUse {
  readonly attribute: string
  readonly customField: string
  readonly isKnown: boolean
}

interface DeclaredAttributes extends Pick<Declaring, 'custom' | 'faults'> {
  readonly sound: ReadonlyMap<string, Attribute>
  readonly aside: ReadonlySet<string>
  readonly costs: readonly Omit<CostlyAttribute, 'uid'>[]
}

type WrittenAttribute = Readonly<Record<string, unknown>>

/** Unknown types are checked as a text. The values of an enumeration are declared nowhere. */
function scalarOf(type: CustomType | undefined): string {
  return type === undefined || type === 'enumeration' ? 'string' : type
}

const isCustom = (written: unknown): written is WrittenAttribute =>
  isRecord(written) && written['type'] === 'customField'

const isText = (value: unknown): boolean => typeof value === 'string'

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

function declareAttributes(where: string, value: WrittenAttribute, typing: CustomTyping): DeclaredAttributes {
  const sound = new Map<string, Attribute>()
  const aside = new Set<string>()
  const custom: CustomUse[] = []
  const faults: Fault[] = []
  const costs: Omit<CostlyAttribute, 'uid'>[] = []
  const check = (name: string, written: unknown): CheckedAttribute => {
    const pointer = `/attributes${step(name)}`
    if (!isCustom(written)) return checkAttribute(where, pointer, written)
    const { customField } = written
    if (typeof customField !== 'string' || customField === '') {
      const remedy = 'for example plugin::color-picker.color'
      return { faults: [{ where, pointer, problem: 'customField is missing', remedy }] }
    }
    const type = customTypeOf(typing, customField)
    if (!typing.said.has(customField))
      custom.push({ attribute: name, customField, isKnown: type !== undefined })
    return checkAttribute(where, pointer, { ...written, type: scalarOf(type) })
  }
  const attributes = value['attributes']
  for (const [name, written] of isRecord(attributes) ? Object.entries(attributes) : []) {
    const checked = check(name, written)
    if ('attribute' in checked) {
      sound.set(name, checked.attribute)
    } else {
      aside.add(name)
      if (startsWith(written))
        costs.push({ attribute: name, problem: checked.faults.map(({ problem }) => problem).join(', ') })
      else faults.push(...checked.faults)
    }
  }
  return { sound, aside, custom, faults, costs }
}

const placeOfType = /[\\/](api|extensions)[\\/][^\\/]+[\\/]content-types[\\/]([^\\/]+)[\\/]schema\.json$/

/** Strapi finds a type by its folder and by its name, and does not start if they differ. */
function checkFolder({ where, component, value }: FoundDefinition): readonly Fault[] {
  const [, from, folder] = placeOfType.exec(resolve(where)) ?? []
  if (component || folder === undefined) return []
  // Folders of extensions are looked up as they are.
  const expected = from === 'api' ? folderName(folder) : folder
  const name = singularNameOf(value, expected)
  if (name === expected) return []
  const problem = `${JSON.stringify(name)} lies in a folder that stands for ${JSON.stringify(expected)}`
  const remedy = 'rename one of them: Strapi does not start with it'
  return [{ where, pointer: '/info/singularName', problem, remedy }]
}

export interface Declaring {
  readonly declared: Declared
  readonly custom: readonly CustomUse[]
  /** False if the definition itself has faults, so that missing parts are a consequence. */
  readonly isWhole: boolean
  readonly faults: readonly Fault[]
  readonly costs: readonly CostlyAttribute[]
}

const textAt = (value: unknown, name: string): string => {
  const text = isRecord(value) ? value[name] : undefined
  return typeof text === 'string' ? text : ''
}

const isTrueAt = (value: unknown, name: string): boolean => isRecord(value) && value[name] === true

function kindOf({ component, value }: FoundDefinition): ModelKind {
  if (component) return 'component'
  return value['kind'] === 'singleType' ? 'singleType' : 'collectionType'
}

/** The uid of a content type is made of its checked singularName. */
function checkUid({ where, uid, component }: FoundDefinition): readonly Fault[] {
  if (!component || /^\p{L}[\p{L}\p{N}_-]*\.\p{L}[\p{L}\p{N}_-]*$/u.test(uid)) return []
  const problem = `${JSON.stringify(uid)} is no uid of a component`
  return [{ where, problem, remedy: 'a category and a name of letters, digits, _ and -, as in shared.seo' }]
}

export interface DefinitionReading extends CustomTyping {
  /** Private in every type. */
  readonly privateNames: readonly string[]
  /** True if the locales of a Strapi project are a type. */
  readonly locales: boolean
}

/** Its form is checked elsewhere. */
export const privateNamesIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : []

/** Strapi hides passwords, whatever the definition says. */
const passwordsIn = (attributes: ReadonlyMap<string, Attribute>): readonly string[] =>
  [...attributes].flatMap(([name, { type }]) => (type === 'password' ? [name] : []))

export function declare(found: FoundDefinition, builtIn: boolean, declaring: DefinitionReading): Declaring {
  const { where, uid, component, value } = found
  const { sound, aside, custom, faults, costs } = declareAttributes(where, value, declaring)
  const { info, options } = value
  const name = uid.slice(uid.indexOf('.') + 1)
  const plugins = value['pluginOptions']
  const privateNames = privateNamesIn(isRecord(options) ? options['privateAttributes'] : [])
  const hidden = new Set([...declaring.privateNames, ...privateNames, ...passwordsIn(sound)])
  const declared: Declared = {
    where,
    uid,
    kind: kindOf(found),
    collectionName: textAt(value, 'collectionName'),
    singularName: component ? name : textAt(info, 'singularName'),
    pluralName: component ? name : textAt(info, 'pluralName'),
    draftAndPublish: isTrueAt(options, 'draftAndPublish'),
    // Strapi reads it of content types alone.
    localized: !component && isRecord(plugins) && isTrueAt(plugins['i18n'], 'localized'),
    showsCreators: !component && isTrueAt(options, 'populateCreatorFields'),
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
  const isRight = component ? isComponent : isContentType
  const form = isRight(value) ? [] : faultsOf(where, '', isRight.errors)
  return {
    declared,
    custom,
    isWhole: form.length === 0,
    faults: [...checkUid(found), ...checkFolder(found), ...form, ...faults],
    costs: costs.map((cost) => ({ uid, ...cost })),
  }
}
