import type { Fault } from '../errors'
import type { Attribute } from './attribute'
import type { CustomTyping } from './custom-fields'
import { type CustomUse, declareAttributes } from './declare-attributes'
import { checkDefinition } from './check-definition'
import { checkFolder } from './check-folder'
import type { Declared, FoundDefinition } from './declared'
import { privateNamesIn, withPrivate } from './private-names'
import { isRecord } from './read-paths'
import type { CostlyAttribute } from './loosen-relations'
import type { ModelKind } from './model'

export interface Declaring {
  readonly declared: Declared
  readonly custom: readonly CustomUse[]
  /** Whether what is not said of it by itself may be believed: of one with faults, that it lacks something is one of them. */
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

/** A content type's is made of its singularName, which has been checked. */
function checkUid({ where, uid, component }: FoundDefinition): readonly Fault[] {
  if (!component || /^\p{L}[\p{L}\p{N}_-]*\.\p{L}[\p{L}\p{N}_-]*$/u.test(uid)) return []
  const problem = `${JSON.stringify(uid)} is no uid of a component`
  return [{ where, problem, remedy: 'a category and a name of letters, digits, _ and -, as in shared.seo' }]
}

export interface DefinitionReading extends CustomTyping {
  /** Private in every type that has them. */
  readonly privateNames: readonly string[]
  /** Whether the languages that a Strapi project has are a type, too. */
  readonly locales: boolean
}

/** Strapi shows no password, whatever its definition says. */
const passwordsIn = (attributes: ReadonlyMap<string, Attribute>): readonly string[] =>
  [...attributes].flatMap(([name, { type }]) => (type === 'password' ? [name] : []))

/** Checks one definition by itself and brings it into the form that the checks of all of them go on with. */
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
    // A component has no locale, even where it says so: Strapi reads this of content types alone.
    localized: !component && isRecord(plugins) && isTrueAt(plugins['i18n'], 'localized'),
    showsCreators: !component && isTrueAt(options, 'populateCreatorFields'),
    builtIn,
    attributes: withPrivate(sound, hidden),
    privateNames,
    hidden,
    aside,
    emptyRelations: [],
  }
  const form = checkDefinition(where, value, component)
  const own = [...checkUid(found), ...checkFolder(found), ...form]
  const isWhole = form.length === 0
  return {
    declared,
    custom,
    isWhole,
    faults: [...own, ...faults],
    costs: costs.map((cost) => ({ uid, ...cost })),
  }
}
