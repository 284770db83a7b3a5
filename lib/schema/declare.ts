import type { Fault } from '../errors'
import type { Attribute } from './attribute'
import { checkAttribute, checkDefinition } from './definition'
import type { Declared, FoundDefinition } from './declared'
import { step } from './explain'
import { isRecord } from './files'
import type { ModelKind } from './model'

export interface Declaring {
  readonly declared: Declared
  readonly faults: readonly Fault[]
}

type Value = Readonly<Record<string, unknown>>

const textAt = (value: unknown, name: string): string => {
  const text = isRecord(value) ? value[name] : undefined
  return typeof text === 'string' ? text : ''
}

const isTrueAt = (value: unknown, name: string): boolean => isRecord(value) && value[name] === true

function kindOf({ component, value }: FoundDefinition): ModelKind {
  if (component) return 'component'
  return value['kind'] === 'singleType' ? 'singleType' : 'collectionType'
}

interface Attributes {
  readonly sound: ReadonlyMap<string, Attribute>
  readonly aside: ReadonlySet<string>
  readonly faults: readonly Fault[]
}

function attributesOf(where: string, value: Value): Attributes {
  const sound = new Map<string, Attribute>()
  const aside = new Set<string>()
  const faults: Fault[] = []
  const attributes = value['attributes']
  for (const [name, attribute] of isRecord(attributes) ? Object.entries(attributes) : []) {
    const checked = checkAttribute(where, `/attributes${step(name)}`, attribute)
    if ('attribute' in checked) {
      sound.set(name, checked.attribute)
    } else {
      aside.add(name)
      faults.push(...checked.faults)
    }
  }
  return { sound, aside, faults }
}

/** A content type's is made of its singularName, which has been checked. */
function checkUid({ where, uid, component }: FoundDefinition): readonly Fault[] {
  if (!component || /^[A-Za-z][\w-]*\.[A-Za-z][\w-]*$/.test(uid)) return []
  const problem = `${JSON.stringify(uid)} is no uid of a component`
  return [{ where, problem, remedy: 'a category and a name of letters, digits, _ and -, as in shared.seo' }]
}

/** Checks one definition by itself and brings it into the form that the checks of all of them go on with. */
export function declare(found: FoundDefinition, builtIn: boolean): Declaring {
  const { where, uid, component, value } = found
  const { sound, aside, faults } = attributesOf(where, value)
  const { info, options } = value
  const name = uid.slice(uid.indexOf('.') + 1)
  const plugins = value['pluginOptions']
  const declared: Declared = {
    where,
    uid,
    kind: kindOf(found),
    collectionName: textAt(value, 'collectionName'),
    singularName: component ? name : textAt(info, 'singularName'),
    pluralName: component ? name : textAt(info, 'pluralName'),
    draftAndPublish: isTrueAt(options, 'draftAndPublish'),
    localized: isRecord(plugins) && isTrueAt(plugins['i18n'], 'localized'),
    builtIn,
    attributes: sound,
    aside,
  }
  return { declared, faults: [...checkUid(found), ...checkDefinition(where, value, component), ...faults] }
}
