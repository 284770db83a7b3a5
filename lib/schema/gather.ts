import type { Fault } from '../errors'
import { type Attribute, isMorphOwner, isPair, isRelation, type RelationAttribute } from './attribute'
import { builtIns } from './built-in'
import { checkCircles, checkComponents } from './check-components'
import { checkNames } from './check-names'
import { checkRelations } from './check-relations'
import { checkShared } from './check-shared'
import { declare } from './declare'
import { type Declarations, type Declared, declaredAs, type FoundDefinition } from './declared'
import type { FoundFiles } from './files'
import type { Uid } from './model'
import { type DefinitionSource, readSource } from './source'

/** The part of a logger that is needed here. */
export interface Warnings {
  warn(facts: object, message: string): void
}

/** An attribute that is left out as it leads to a plugin's type that is not known here. */
export interface LeftOutAttribute {
  readonly uid: Uid
  readonly attribute: string
  readonly target: string
}

export interface Gathered {
  readonly declarations: Declarations
  readonly faults: readonly Fault[]
  readonly leftOut: readonly LeftOutAttribute[]
  /** Types of plugins, other than the built-in ones. */
  readonly ignored: readonly Uid[]
}

/** As Strapi does it: what an extension says of a plugin's type replaces what the plugin said, part by part. */
function extended(uid: string, extension: FoundDefinition | undefined): FoundDefinition {
  const value = { ...builtIns.get(uid), ...extension?.value }
  return { where: extension?.where ?? uid, uid: uid as Uid, component: false, value }
}

const isForeign = (name: string): boolean => /^(plugin|admin|strapi)::/.test(name)

/** An extension of the other side may have dropped what a built-in relation counts on. */
function isBroken(all: Declarations, { where, uid }: Declared, attribute: RelationAttribute): boolean {
  if (where !== uid || !isPair(attribute)) return false
  const by = attribute.inversedBy ?? attribute.mappedBy
  return by !== undefined && declaredAs(all, attribute.target)?.attributes.has(by) !== true
}

function leavesOut(all: Declarations, declared: Declared, attribute: Attribute): boolean {
  if (!isRelation(attribute) || isMorphOwner(attribute)) return false
  const { target } = attribute
  return (isForeign(target) && declaredAs(all, target) === undefined) || isBroken(all, declared, attribute)
}

interface Kept {
  readonly declared: Declared
  readonly leftOut: readonly LeftOutAttribute[]
}

function keep(all: Declarations, declared: Declared): Kept {
  const { uid, attributes, aside } = declared
  const out = [...attributes].filter(([, attribute]) => leavesOut(all, declared, attribute))
  const names = new Set(out.map(([name]) => name))
  const kept = new Map([...attributes].filter(([name]) => !names.has(name)))
  const leftOut = out.flatMap(([name, attribute]): readonly LeftOutAttribute[] =>
    'target' in attribute ? [{ uid, attribute: name, target: attribute.target }] : [],
  )
  return { declared: { ...declared, attributes: kept, aside: new Set([...aside, ...names]) }, leftOut }
}

/** Those that another has the uid of are at fault; the first stays. */
function distinct(found: readonly FoundDefinition[]): FoundFiles {
  const first = new Map<string, FoundDefinition>()
  const faults = found.flatMap((one): readonly Fault[] => {
    const other = first.get(one.uid)
    if (other !== undefined) {
      return [
        {
          where: one.where,
          problem: `defines ${one.uid} once more`,
          remedy: `it is defined by ${other.where}`,
        },
      ]
    }
    first.set(one.uid, one)
    return []
  })
  return { found: [...first.values()], faults }
}

function check(all: Declarations): readonly Fault[] {
  const declared = [...all.values()]
  return [
    ...declared.flatMap((one) => [
      ...checkNames(one),
      ...checkRelations(all, one),
      ...checkComponents(all, one),
    ]),
    ...checkCircles(all),
    ...checkShared(all),
  ]
}

function byPlace(faults: readonly Fault[]): readonly Fault[] {
  const places = new Set(faults.map(({ where }) => where))
  return [...places].flatMap((place) => faults.filter(({ where }) => where === place))
}

const byUid = (declared: readonly Declared[]): Declarations => new Map(declared.map((one) => [one.uid, one]))

export function gather(source: DefinitionSource): Gathered {
  const read = readSource(source)
  const { found, faults: twice } = distinct(read.found)
  const extensions = new Map(found.map((one) => [one.uid as string, one]))
  const declarings = [
    ...found.filter(({ uid }) => !isForeign(uid)).map((one) => declare(one, false)),
    ...[...builtIns.keys()].map((uid) => declare(extended(uid, extensions.get(uid)), true)),
  ]
  const all = byUid(declarings.map(({ declared }) => declared))
  const kept = [...all.values()].map((declared) => keep(all, declared))
  const declarations = byUid(kept.map(({ declared }) => declared))
  return {
    declarations,
    faults: byPlace([
      ...read.faults,
      ...twice,
      ...declarings.flatMap(({ faults }) => faults),
      ...check(declarations),
    ]),
    leftOut: kept.flatMap(({ leftOut }) => leftOut),
    ignored: found.map(({ uid }) => uid).filter((uid) => isForeign(uid) && !builtIns.has(uid)),
  }
}
