import { ConfigError, type Fault } from '../errors'
import {
  type Attribute,
  isMorphOwner,
  isPair,
  isRelation,
  type RelationAttribute,
  closingNames,
  type Declarations,
  type Declared,
  namedIn,
  type FoundDefinition,
  type Uid,
  type CostlyAttribute,
  type ZoneAttribute,
  isComponent,
  isMorphInverse,
  type PairRelation,
  isHidden,
} from './declared'
import { adminUserUid, builtIns, extensibleUids, localeUid } from './built-in'
import { checkDeclarations, circlesOf, problemOfName } from './check'
import type { CustomAttribute } from './custom-fields'
import { declare, type Declaring, type DefinitionReading } from './declare'
import type { FoundFiles } from './read-source'
import { didYouMean } from './nearest'
import { once } from '../memory'

type OwnedAttribute = Pick<CustomAttribute, 'uid' | 'attribute'>

const without = (all: Declarations, places: readonly OwnedAttribute[]): Declarations =>
  reduceAttributes(all, (attribute, name, { uid }) => {
    const isLeftOut = places.some((place) => place.uid === uid && place.attribute === name)
    return { attribute: isLeftOut ? null : attribute }
  }).all

export interface Warnings {
  warn(facts: object, message: string): void
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
  return by !== undefined && namedIn(all, attribute.target)?.attributes.has(by) !== true
}

/** Relations to types of plugins that are not known here. */
function foreignRelations(all: Declarations, declared: Declared) {
  return [...declared.attributes].flatMap(([name, attribute]) => {
    if (!isRelation(attribute) || isMorphOwner(attribute)) return []
    const { target } = attribute
    // Admin users are shown as creators alone.
    const isUnknown = target === adminUserUid || namedIn(all, target) === undefined
    const isLeftOut = (isForeign(target) && isUnknown) || isBroken(all, declared, attribute)
    return isLeftOut ? { uid: declared.uid, attribute: name, target } : []
  })
}

function distinct(found: readonly FoundDefinition[]): Pick<FoundFiles, 'found' | 'faults'> {
  const first = new Map<string, FoundDefinition>()
  const faults = found.flatMap((one): readonly Fault[] => {
    const other = once(first, one.uid, () => one)
    const problem = `two definitions have the uid ${one.uid}`
    const remedy = `remove one of the two definitions. The other definition is in ${other.where}`
    return other === one ? [] : [{ where: one.where, problem, remedy }]
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
    const unknown = { problem: `there is no attribute ${shown}`, remedy: didYouMean(name, known) }
    const remedy = 'remove the name from the list of private attributes'
    // Strapi ignores them in lists of private attributes.
    const isKey = ['id', 'documentId'].includes(name)
    return [{ ...place(index), ...(isKey ? { problem: `${shown} cannot be private`, remedy } : unknown) }]
  })
}

/** A misspelled name hides nothing. */
function faultsOfPrivateNames(declared: readonly Declared[], ofAll: readonly string[]): readonly Fault[] {
  const own = declared.flatMap((one) => {
    const { where } = one
    const place = (index: number) => ({ where, pointer: `/options/privateAttributes/${String(index)}` })
    return faultsIn(place, one.privateNames, namesOf(one))
  })
  const known = [...new Set(declared.flatMap(namesOf))]
  return [...own, ...faultsIn((index) => ({ where: `privateAttributes[${String(index)}]` }), ofAll, known)]
}

/** The definitions that fit together, with the types of Strapi. */
export function resolveDefinitions(read: FoundFiles, reading: DefinitionReading, logger?: Warnings) {
  const isIgnored = ({ uid }: FoundDefinition): boolean => isForeign(uid) && !extensibleUids.includes(uid)
  const { found, faults: twice } = distinct(read.found.filter((one) => !isIgnored(one)))
  const extensions = new Map(found.map((one) => [one.uid as string, one]))
  const declareBuiltIn = (uid: string): Declaring =>
    declare(extended(uid, extensions.get(uid)), true, reading)
  const own = [
    ...found.filter(({ uid }) => !isForeign(uid)).map((one) => declare(one, false, reading)),
    ...extensibleUids.map(declareBuiltIn),
  ]
  const showsCreators = own.some(({ declared }) => declared.showsCreators)
  const declarings = [
    ...own,
    ...(showsCreators ? [declareBuiltIn(adminUserUid)] : []),
    // No type leads to locales.
    ...(reading.locales ? [declareBuiltIn(localeUid)] : []),
  ]
  const declared = declarings.map((one) => one.declared)
  const all: Declarations = new Map(declared.map((one) => [one.uid, one]))
  const foreign = declared.flatMap((one) => foreignRelations(all, one))
  const parts = reduceParts(without(all, foreign))
  const linkFaults = checkDeclarations(parts.all)
  const { passedOver, unread } = read
  const incomplete = declarings.flatMap(({ declared: { uid }, isWhole }) => (isWhole ? [] : uid))
  const faults = [
    ...read.faults,
    ...twice,
    ...declarings.flatMap((one) => one.faults),
    ...withoutShadows(linkFaults, [...unread, ...incomplete]),
  ]
  if (faults.length > 0) throw new ConfigError(byPlace(faults))
  const relations = reduceRelations(parts.all)
  const costs = [...declarings.flatMap((one) => one.costs), ...parts.costs, ...relations.costs]
  const custom = declarings.flatMap((one) => one.custom)
  const unknownPrivate = faultsOfPrivateNames(declared, reading.privateNames)
  // A project may extend its own plugin, too.
  const ignored = new Set(read.found.filter(isIgnored).map(({ uid }) => uid))
  const warn = (message: string, places: readonly object[]): void => {
    for (const facts of places) logger?.warn(facts, message)
  }
  warn('the router omits a relation, because its target is an unsupported type of a Strapi plugin', foreign)
  const types = [...ignored].map((uid) => ({ uid }))
  warn('the router omits an unsupported type of a Strapi plugin', types)
  warn('the router omits an attribute or some of its values, because the definition is not supported', costs)
  warn('privateAttributes contains a name that is not an attribute', unknownPrivate)
  warn('the router skips a folder of definitions', passedOver)
  const untyped = custom.filter(({ isKnown }) => !isKnown)
  const isAsWritten = costs.length + unknownPrivate.length + passedOver.length === 0
  return { declarations: without(relations.all, untyped), custom, isAsWritten }
}

// In Strapi the side with `inversedBy`, or with neither word, makes the table, and assigns it to the side that it
// names. A side without such a partner has no table, and responses omit it. A side with several partners keeps the last.

/** The side that has the table or key of each relation. */
type Holders = Map<string, { readonly uid: string; readonly name: string }>

const placeOf = (uid: string, name: string): string => `${uid} ${name}`

const makesTable = ({ inversedBy, mappedBy, relation, useJoinTable }: PairRelation): boolean =>
  (inversedBy !== undefined || mappedBy === undefined) &&
  !(relation === 'manyToMany' && useJoinTable === false)

/** Plugins, then types of the project by folder, then components. */
function inStrapisOrder(all: Declarations): readonly Declared[] {
  const rank = ({ uid, kind }: Declared): string =>
    `${kind === 'component' ? '2' : uid.startsWith('api::') ? '1' : '0'}${uid}`
  return [...all.values()].sort((one, other) => (rank(one) < rank(other) ? -1 : 1))
}

function holdersOf(all: Declarations): Holders {
  const holders: Holders = new Map()
  for (const { uid, attributes } of inStrapisOrder(all)) {
    for (const [name, attribute] of attributes) {
      if (!isPair(attribute) || !makesTable(attribute)) continue
      const target = namedIn(all, attribute.target)
      holders.set(placeOf(uid, name), { uid, name })
      if (target !== undefined && attribute.inversedBy !== undefined)
        holders.set(placeOf(target.uid, attribute.inversedBy), { uid, name })
    }
  }
  return holders
}

interface Reduced {
  readonly all: Declarations
  readonly costs: readonly CostlyAttribute[]
}

/** The part of an attribute that can be served, and the fault of the rest. */
interface ReducedAttribute {
  readonly attribute: Attribute | null
  readonly problem?: string
}

const dropped = (problem: string): ReducedAttribute => ({ attribute: null, problem })

function reduceAttributes(
  all: Declarations,
  reduceOne: (attribute: Attribute, name: string, owner: Declared) => ReducedAttribute,
): Reduced {
  const costs: CostlyAttribute[] = []
  const left = [...all.values()].map((declared): [string, Declared] => {
    const attributes = new Map<string, Attribute>()
    const aside = new Set(declared.aside)
    for (const [name, attribute] of declared.attributes) {
      const { attribute: kept, problem } = reduceOne(attribute, name, declared)
      if (kept === null) aside.add(name)
      else attributes.set(name, kept)
      if (problem !== undefined) costs.push({ uid: declared.uid, attribute: name, problem })
    }
    return [declared.uid, { ...declared, attributes, aside }]
  })
  return { all: new Map(left), costs }
}

function withKnownComponents(all: Declarations, zone: ZoneAttribute): ReducedAttribute {
  const unknown = zone.components.filter((one) => !isComponent(all.get(one)))
  if (unknown.length === 0) return { attribute: zone }
  const components = zone.components.filter((one) => !unknown.includes(one))
  return { attribute: { ...zone, components }, problem: `there is no component ${unknown.join(', ')}` }
}

function reduceParts(all: Declarations): Reduced {
  const circles = circlesOf(all)
  return reduceAttributes(all, (attribute, name, { uid, kind }) => {
    const problem = problemOfName(name, kind === 'component') ?? circles.get(`${uid} ${name}`)
    if (problem !== undefined) return dropped(problem)
    return attribute.type === 'dynamiczone' ? withKnownComponents(all, attribute) : { attribute }
  })
}

function withoutSide(relation: PairRelation, word: 'inversedBy' | 'mappedBy'): PairRelation {
  const entries = Object.entries(relation).filter(([name]) => name !== word)
  return Object.fromEntries(entries) as unknown as PairRelation
}

function reduceRelations(all: Declarations): Reduced {
  const holders = holdersOf(all)
  const settlePair = (relation: PairRelation, place: string): ReducedAttribute => {
    const target = namedIn(all, relation.target)
    if (target === undefined) return dropped(`there is no type ${relation.target}`)
    if (target.kind === 'component') return dropped(`the target ${relation.target} is a component`)
    const holder = holders.get(place)
    if (holder === undefined) return dropped(`${relation.target} has no inversedBy for the attribute`)
    if (placeOf(holder.uid, holder.name) === place) return { attribute: withoutSide(relation, 'mappedBy') }
    if (holder.uid === target.uid)
      return { attribute: { ...withoutSide(relation, 'inversedBy'), mappedBy: holder.name } }
    return dropped(`${holder.name} of ${holder.uid} owns the relation, but the target is ${relation.target}`)
  }
  const settle = (attribute: Attribute, place: string): ReducedAttribute => {
    if (isPair(attribute)) return settlePair(attribute, place)
    if (!isRelation(attribute) || !isMorphInverse(attribute)) return { attribute }
    const by = namedIn(all, attribute.target)?.attributes.get(attribute.morphBy)
    return by !== undefined && isMorphOwner(by)
      ? { attribute }
      : dropped(`the attribute ${attribute.morphBy} of ${attribute.target} has a single target type`)
  }
  const empty = new Map<Uid, string[]>()
  const { all: left, costs } = reduceAttributes(all, (attribute, name, { uid }) => {
    const settled = settle(attribute, placeOf(uid, name))
    // Private relations are in no response, so the host is not warned.
    if (settled.attribute === null && !isHidden(attribute)) once(empty, uid, () => []).push(name)
    return settled
  })
  const named = [...left].map(
    ([uid, one]) => [uid, { ...one, emptyRelations: empty.get(one.uid) ?? [] }] as const,
  )
  return { all: new Map(named), costs }
}
