import type { Fault } from '../errors'
import { isRelation, isMorphOwner } from './attribute'
import { builtIns } from './built-in'
import { declare } from './declare'
import { type Declarations, type Declared, declaredAs, type Found } from './declared'
import type { Uid } from './model'
import { type DefinitionSource, readSource } from './source'

/** The part of a logger that is needed here. */
export interface Warnings {
  warn(facts: object, message: string): void
}

/** An attribute that is left out as it leads to a plugin's type that is not known here. */
export interface LeftOut {
  readonly uid: Uid
  readonly attribute: string
  readonly target: string
}

export interface Gathered {
  readonly declarations: Declarations
  readonly faults: readonly Fault[]
  readonly leftOut: readonly LeftOut[]
}

/** As Strapi does it: what an extension says of a plugin's type replaces what the plugin said, part by part. */
function extended(uid: string, extension: Found | undefined): Found {
  const value = { ...builtIns.get(uid), ...extension?.value }
  return { where: extension?.where ?? uid, uid: uid as Uid, component: false, value }
}

const isForeign = (name: string): boolean => /^(plugin|admin|strapi)::/.test(name)

function foreignTarget(all: Declarations, { attributes }: Declared, name: string): string | undefined {
  const attribute = attributes.get(name)
  if (attribute === undefined || !isRelation(attribute) || isMorphOwner(attribute)) return undefined
  return isForeign(attribute.target) && declaredAs(all, attribute.target) === undefined
    ? attribute.target
    : undefined
}

function leaveOut(
  all: Declarations,
  declared: Declared,
): { declared: Declared; leftOut: readonly LeftOut[] } {
  const { uid, attributes, aside } = declared
  const leftOut = [...attributes.keys()].flatMap((attribute): readonly LeftOut[] => {
    const target = foreignTarget(all, declared, attribute)
    return target === undefined ? [] : [{ uid, attribute, target }]
  })
  const names = new Set(leftOut.map(({ attribute }) => attribute))
  const kept = new Map([...attributes].filter(([name]) => !names.has(name)))
  return { declared: { ...declared, attributes: kept, aside: new Set([...aside, ...names]) }, leftOut }
}

export function gather(source: DefinitionSource): Gathered {
  const { found, faults: unread } = readSource(source)
  const own = found.filter(({ uid }) => !isForeign(uid))
  const extensions = new Map(found.map((one) => [one.uid as string, one]))
  const declarings = [
    ...own.map((one) => declare(one, false)),
    ...[...builtIns.keys()].map((uid) => declare(extended(uid, extensions.get(uid)), true)),
  ]
  const all = new Map(declarings.map(({ declared }) => [declared.uid as string, declared]))
  const parts = [...all.values()].map((declared) => leaveOut(all, declared))
  const declarations = new Map(parts.map(({ declared }) => [declared.uid as string, declared]))
  const faults = [...unread, ...declarings.flatMap((declaring) => declaring.faults)]
  return { declarations, faults, leftOut: parts.flatMap(({ leftOut }) => leftOut) }
}
