import type { Fault } from '../errors'
import { type Attribute, isMorphOwner, isPair, isRelation, type RelationAttribute } from './attribute'
import { adminUser, adminUserUid, builtIns, locale, localeUid } from './built-in'
import { check } from './check'
import type { CustomAttribute } from './custom-fields'
import { declare, type Declaring, type DefinitionReading } from './declare'
import { closingNames, type Declarations, type Declared, declaredAs, type FoundDefinition } from './declared'
import type { FoundFiles } from './read-source'
import type { Uid } from './model'
import { step } from './explain'
import { columnName, tableName } from './names'
import { didYouMean } from './nearest'

function customAttributesOf({ declared, custom }: Declaring): readonly CustomAttribute[] {
  const { where, uid, collectionName } = declared
  return custom.map(({ attribute, customField, isKnown }) => ({
    where,
    pointer: `/attributes${step(attribute)}/customField`,
    uid,
    attribute,
    customField,
    table: tableName(collectionName),
    column: columnName(attribute),
    isKnown,
  }))
}

function without(declared: Declared, names: ReadonlySet<string>): Declared {
  if (names.size === 0) return declared
  const attributes = new Map([...declared.attributes].filter(([name]) => !names.has(name)))
  return { ...declared, attributes, aside: new Set([...declared.aside, ...names]) }
}

function withoutUnknown(all: Declarations, custom: readonly CustomAttribute[]): Declarations {
  const unknownOf = (uid: string): ReadonlySet<string> =>
    new Set(custom.filter((one) => one.uid === uid && !one.isKnown).map(({ attribute }) => attribute))
  return new Map([...all].map(([uid, declared]) => [uid, without(declared, unknownOf(uid))]))
}

export interface Warnings {
  warn(facts: object, message: string): void
}

interface Warning {
  readonly facts: object
  readonly message: string
}

export interface Gathered {
  readonly declarations: Declarations
  readonly faults: readonly Fault[]
  readonly warnings: readonly Warning[]
  /** False if a part of a definition is left out. */
  readonly isAsWritten: boolean
  readonly custom: readonly CustomAttribute[]
}

/** As in Strapi, each part of the extension replaces that part of the plugin's type. */
function extended(uid: string, extension: FoundDefinition | undefined): FoundDefinition {
  const value = { ...builtIns.get(uid), ...extension?.value }
  return { where: extension?.where ?? uid, uid: uid as Uid, component: false, value }
}

const isForeign = (name: string): boolean => /^(plugin|admin|strapi)::/.test(name)

/** An extension may have dropped the other side of a built-in relation. */
function isBroken(all: Declarations, { where, uid }: Declared, attribute: RelationAttribute): boolean {
  if (where !== uid || !isPair(attribute)) return false
  const by = attribute.inversedBy ?? attribute.mappedBy
  return by !== undefined && declaredAs(all, attribute.target)?.attributes.has(by) !== true
}

function leavesOut(all: Declarations, declared: Declared, attribute: Attribute): boolean {
  if (!isRelation(attribute) || isMorphOwner(attribute)) return false
  const { target } = attribute
  // Admin users are shown as creators alone.
  const isUnknown = target === adminUserUid || declaredAs(all, target) === undefined
  return (isForeign(target) && isUnknown) || isBroken(all, declared, attribute)
}

/** Relations to types of plugins that are not known here. */
function leftOutOf(all: Declarations, declared: Declared): ReadonlyMap<string, string> {
  const out = [...declared.attributes].filter(([, attribute]) => leavesOut(all, declared, attribute))
  return new Map(out.flatMap(([name, one]) => ('target' in one ? [[name, one.target] as const] : [])))
}

function distinct(found: readonly FoundDefinition[]): FoundFiles {
  const first = new Map<string, FoundDefinition>()
  const faults = found.flatMap((one): readonly Fault[] => {
    const other = first.get(one.uid)
    if (other === undefined) {
      first.set(one.uid, one)
      return []
    }
    const problem = `defines ${one.uid} once more`
    return [{ where: one.where, problem, remedy: `it is defined by ${other.where}` }]
  })
  return { found: [...first.values()], faults }
}

/** Faults that follow from a broken file are left out. */
function withoutShadows(faults: readonly Fault[], broken: readonly Uid[]): readonly Fault[] {
  const names = broken.flatMap((uid) => [uid, uid.slice(uid.lastIndexOf('.') + 1)])
  const shadows = names.flatMap((name) => [`there is no type "${name}"`, `there is no component "${name}"`])
  const isShadow = ({ problem }: Fault): boolean =>
    shadows.includes(problem) || broken.some((uid) => problem.startsWith(`${uid} has no attribute `))
  return faults.filter((fault) => !isShadow(fault))
}

function byPlace(faults: readonly Fault[]): readonly Fault[] {
  const places = new Set(faults.map(({ where }) => where))
  return [...places].flatMap((place) => faults.filter(({ where }) => where === place))
}

const byUid = (declared: readonly Declared[]): Declarations => new Map(declared.map((one) => [one.uid, one]))

function declareAdminUser(
  declarings: readonly Declaring[],
  gathering: DefinitionReading,
): readonly Declaring[] {
  if (!declarings.some(({ declared }) => declared.showsCreators)) return []
  const uid = adminUserUid as Uid
  return [declare({ where: uid, uid, component: false, value: adminUser }, true, gathering)]
}

/** No type leads to locales. */
function declareLocales(gathering: DefinitionReading): readonly Declaring[] {
  if (!gathering.locales) return []
  const uid = localeUid as Uid
  return [declare({ where: uid, uid, component: false, value: locale }, true, gathering)]
}

/** Strapi ignores them in lists of private attributes. */
const alwaysShown: ReadonlySet<string> = new Set(['id', 'documentId'])

const namesOf = ({ kind, attributes, aside }: Declared): readonly string[] => [
  ...attributes.keys(),
  ...aside,
  ...(kind === 'component' ? [] : closingNames),
]

function faultsIn(
  place: (index: number) => Pick<Fault, 'where' | 'pointer'>,
  names: readonly string[],
  known: readonly string[],
): readonly Fault[] {
  return names.flatMap((name, index): readonly Fault[] => {
    if (known.includes(name)) return []
    const shown = JSON.stringify(name.slice(0, 80))
    return alwaysShown.has(name)
      ? [{ ...place(index), problem: `${shown} cannot be private`, remedy: 'every entry shows it' }]
      : [{ ...place(index), problem: `${shown} is no attribute`, remedy: didYouMean(name, known) }]
  })
}

/** A misspelled name hides nothing. */
function faultsOfPrivateNames(declared: readonly Declared[], ofAll: readonly string[]): readonly Fault[] {
  const own = declared.flatMap((one) =>
    faultsIn(
      (index) => ({ where: one.where, pointer: `/options/privateAttributes/${String(index)}` }),
      one.privateNames,
      namesOf(one),
    ),
  )
  const known = [...new Set(declared.flatMap(namesOf))]
  return [...own, ...faultsIn((index) => ({ where: `privateAttributes[${String(index)}]` }), ofAll, known)]
}

const warningsOf = (message: string, all: readonly object[]): readonly Warning[] =>
  all.map((facts) => ({ facts, message }))

export function gather(read: FoundFiles, gathering: DefinitionReading): Gathered {
  const isIgnored = ({ uid }: FoundDefinition): boolean => isForeign(uid) && !builtIns.has(uid)
  const { found, faults: twice } = distinct(read.found.filter((one) => !isIgnored(one)))
  const extensions = new Map(found.map((one) => [one.uid as string, one]))
  const own = [
    ...found.filter(({ uid }) => !isForeign(uid)).map((one) => declare(one, false, gathering)),
    ...[...builtIns.keys()].map((uid) => declare(extended(uid, extensions.get(uid)), true, gathering)),
  ]
  const declarings = [...own, ...declareAdminUser(own, gathering), ...declareLocales(gathering)]
  const all = byUid(declarings.map(({ declared }) => declared))
  const leftOut = new Map([...all.values()].map((declared) => [declared, leftOutOf(all, declared)]))
  const kept = [...leftOut].map(([declared, out]) => without(declared, new Set(out.keys())))
  const checked = check(byUid(kept))
  const custom = declarings.flatMap(customAttributesOf)
  const idle = faultsOfPrivateNames([...all.values()], gathering.privateNames)
  const costs = [...declarings.flatMap(({ costs: one }) => one), ...checked.costs]
  const { passedOver = [], unread = [] } = read
  const halves = declarings.flatMap(({ declared, isWhole }) => (isWhole ? [] : [declared.uid]))
  const facts = [...leftOut].flatMap(([{ uid }, out]) =>
    [...out].map(([attribute, target]) => ({ uid, attribute, target })),
  )
  // A project may extend its own plugin, too.
  const ignored = [...new Set(read.found.filter(isIgnored).map(({ uid }) => uid))]
  return {
    declarations: withoutUnknown(checked.declarations, custom),
    custom,
    faults: byPlace([
      ...read.faults,
      ...twice,
      ...declarings.flatMap(({ faults }) => faults),
      ...withoutShadows(checked.faults, [...unread, ...halves]),
    ]),
    warnings: [
      ...warningsOf('An attribute leads to a type of a plugin and is left out', facts),
      ...warningsOf(
        'A type of a plugin is left out',
        ignored.map((uid) => ({ uid })),
      ),
      ...warningsOf(
        'An attribute is left out, wholly or in part: it cannot be served as it is written',
        costs,
      ),
      ...warningsOf('What was to be private is no attribute: it hides nothing', idle),
      ...warningsOf(
        'A folder is passed over',
        passedOver.map(({ fault }) => fault),
      ),
    ],
    isAsWritten: costs.length + idle.length + passedOver.length === 0,
  }
}
