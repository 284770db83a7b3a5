import {
  type Attribute,
  type ZoneAttribute,
  isMorphInverse,
  isMorphOwner,
  isPair,
  type PairRelation,
} from './attribute'
import { once } from '../memory'
import { circlesOf, isComponent, nameProblem } from './check-names'
import { isHidden } from './columns-of'
import { type Declarations, type Declared, declaredAs } from './declared'
import type { Uid } from './model'

// In Strapi the side with `inversedBy`, or with neither word, makes the table, and assigns it to the side that it
// names. A side that no other names has no table and is in no response; a side that several name keeps the last.

/** The side that has the table or key of a relation. */
interface Holder {
  readonly uid: string
  readonly name: string
}

type Holders = ReadonlyMap<string, Holder>

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
  const holders = new Map<string, Holder>()
  for (const { uid, attributes } of inStrapisOrder(all)) {
    for (const [name, attribute] of attributes) {
      if (!isPair(attribute) || !makesTable(attribute)) continue
      const target = declaredAs(all, attribute.target)
      holders.set(placeOf(uid, name), { uid, name })
      if (target !== undefined && attribute.inversedBy !== undefined)
        holders.set(placeOf(target.uid, attribute.inversedBy), { uid, name })
    }
  }
  return holders
}

/** An attribute that Strapi accepts, and that cannot be served as written. */
export interface CostlyAttribute {
  readonly uid: Uid
  readonly attribute: string
  readonly problem: string
}

interface Loosened {
  readonly all: Declarations
  readonly costs: readonly CostlyAttribute[]
}

/** The part of an attribute that can be served, and the fault of the rest. */
interface LeftOfAttribute {
  readonly attribute: Attribute | null
  readonly problem?: string
}

const lost = (problem: string): LeftOfAttribute => ({ attribute: null, problem })

interface LooseAttribute<A extends Attribute = Attribute> {
  readonly owner: Declared
  readonly name: string
  readonly attribute: A
}

function each(all: Declarations, loosen: (place: LooseAttribute) => LeftOfAttribute): Loosened {
  const costs: CostlyAttribute[] = []
  const left = [...all.values()].map((declared): [string, Declared] => {
    const attributes = new Map<string, Attribute>()
    const aside = new Set(declared.aside)
    for (const [name, attribute] of declared.attributes) {
      const { attribute: kept, problem } = loosen({ owner: declared, name, attribute })
      if (kept === null) aside.add(name)
      else attributes.set(name, kept)
      if (problem !== undefined) costs.push({ uid: declared.uid, attribute: name, problem })
    }
    return [declared.uid, { ...declared, attributes, aside }]
  })
  return { all: new Map(left), costs }
}

function knownOnly(all: Declarations, zone: ZoneAttribute): LeftOfAttribute {
  const unknown = zone.components.filter((one) => !isComponent(all.get(one)))
  if (unknown.length === 0) return { attribute: zone }
  const components = zone.components.filter((one) => !unknown.includes(one))
  return { attribute: { ...zone, components }, problem: `there is no component ${unknown.join(', ')}` }
}

export function loosenParts(all: Declarations): Loosened {
  const circles = circlesOf(all)
  return each(all, ({ owner: { uid, kind }, name, attribute }) => {
    const problem = nameProblem(name, kind === 'component')?.cost ?? circles.get(`${uid} ${name}`)
    if (problem !== undefined) return lost(problem)
    return attribute.type === 'dynamiczone' ? knownOnly(all, attribute) : { attribute }
  })
}

function without(relation: PairRelation, word: 'inversedBy' | 'mappedBy'): PairRelation {
  const entries = Object.entries(relation).filter(([name]) => name !== word)
  return Object.fromEntries(entries) as unknown as PairRelation
}

function settlePair(
  all: Declarations,
  holders: Holders,
  { owner, name, attribute: relation }: LooseAttribute<PairRelation>,
): LeftOfAttribute {
  const target = declaredAs(all, relation.target)
  if (target === undefined) return lost(`there is no type ${relation.target}`)
  if (target.kind === 'component') return lost(`${relation.target} is a component`)
  const holder = holders.get(placeOf(owner.uid, name))
  if (holder === undefined) return lost(`no inversedBy leads to it from ${relation.target}`)
  if (holder.uid === owner.uid && holder.name === name) return { attribute: without(relation, 'mappedBy') }
  if (holder.uid === target.uid)
    return { attribute: { ...without(relation, 'inversedBy'), mappedBy: holder.name } }
  return lost(`it is held by ${holder.name} of ${holder.uid}, and leads to ${relation.target}`)
}

function settle(all: Declarations, holders: Holders, place: LooseAttribute): LeftOfAttribute {
  const { attribute } = place
  if (isPair(attribute)) return settlePair(all, holders, { ...place, attribute })
  if (!isMorphInverse(attribute)) return { attribute }
  const by = declaredAs(all, attribute.target)?.attributes.get(attribute.morphBy)
  return by !== undefined && isMorphOwner(by)
    ? { attribute }
    : lost(`${attribute.morphBy} of ${attribute.target} leads to one type only`)
}

export function loosenRelations(all: Declarations): Loosened {
  const holders = holdersOf(all)
  const empty = new Map<Uid, string[]>()
  const { all: left, costs } = each(all, (place) => {
    const settled = settle(all, holders, place)
    // Private relations are in no response, so the host is not warned.
    if (settled.attribute === null && !isHidden(place.attribute))
      once(empty, place.owner.uid, () => []).push(place.name)
    return settled
  })
  const named = [...left].map(
    ([uid, one]) => [uid, { ...one, emptyRelations: empty.get(one.uid) ?? [] }] as const,
  )
  return { all: new Map(named), costs }
}
