import {
  type Attribute,
  type ZoneAttribute,
  isMorphInverse,
  isMorphOwner,
  isPair,
  type PairRelation,
} from './attribute'
import { circlesOf, isComponent, nameProblem } from './check-names'
import { isHidden } from './columns-of'
import { type Declarations, type Declared, declaredAs } from './declared'
import type { Uid } from './model'

// In Strapi the side with `inversedBy`, or with neither word, makes the table, and assigns it to the side that it
// names. A side that no other names has no table and is in no response; a side that several name keeps the last.

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

type SettledRelation = { readonly attribute: Attribute } | { readonly problem: string }

function settlePair(all: Declarations, holders: Holders, place: PairPlace): SettledRelation {
  const { owner, name, relation } = place
  const target = declaredAs(all, relation.target)
  if (target === undefined) return { problem: `there is no type ${relation.target}` }
  if (target.kind === 'component') return { problem: `${relation.target} is a component` }
  const holder = holders.get(placeOf(owner.uid, name))
  if (holder === undefined) return { problem: `no inversedBy leads to it from ${relation.target}` }
  if (holder.uid === owner.uid && holder.name === name) return { attribute: without(relation, 'mappedBy') }
  if (holder.uid === target.uid)
    return { attribute: { ...without(relation, 'inversedBy'), mappedBy: holder.name } }
  return { problem: `it is held by ${holder.name} of ${holder.uid}, and leads to ${relation.target}` }
}

function without(relation: PairRelation, word: 'inversedBy' | 'mappedBy'): PairRelation {
  const entries = Object.entries(relation).filter(([name]) => name !== word)
  return Object.fromEntries(entries) as unknown as PairRelation
}

interface PairPlace {
  readonly owner: Declared
  readonly name: string
  readonly relation: PairRelation
}

function settler(
  all: Declarations,
): (owner: Declared, name: string, attribute: Attribute) => SettledRelation {
  const holders = holdersOf(all)
  return (owner, name, attribute) => {
    if (isPair(attribute)) return settlePair(all, holders, { owner, name, relation: attribute })
    if (!isMorphInverse(attribute)) return { attribute }
    const target = declaredAs(all, attribute.target)
    const by = target?.attributes.get(attribute.morphBy)
    const isBack = by !== undefined && isMorphOwner(by)
    return isBack
      ? { attribute }
      : { problem: `${attribute.morphBy} of ${attribute.target} leads to one type only` }
  }
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

interface LeftOfAttribute {
  readonly attribute: Attribute | null
  readonly problem?: string
}

type Loosen = (declared: Declared, name: string, attribute: Attribute) => LeftOfAttribute

function each(all: Declarations, loosen: Loosen): Loosened {
  const costs: CostlyAttribute[] = []
  const left = [...all.values()].map((declared): [string, Declared] => {
    const attributes = new Map<string, Attribute>()
    const aside = new Set(declared.aside)
    for (const [name, attribute] of declared.attributes) {
      const { attribute: kept, problem } = loosen(declared, name, attribute)
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
  return each(all, ({ uid, kind }, name, attribute) => {
    const problem = nameProblem(name, kind === 'component')?.cost ?? circles.get(`${uid} ${name}`)
    if (problem !== undefined) return { attribute: null, problem }
    return attribute.type === 'dynamiczone' ? knownOnly(all, attribute) : { attribute }
  })
}

/** Private relations are in no response, so the host is not warned. */
const emptyIn = ({ attributes }: Declared, costs: readonly string[]): readonly string[] =>
  [...attributes].flatMap(([name, attribute]) =>
    costs.includes(name) && attribute.type === 'relation' && !isHidden(attribute) ? [name] : [],
  )

export function loosenRelations(all: Declarations): Loosened {
  const settle = settler(all)
  const { all: left, costs } = each(all, (declared, name, attribute) => {
    const settled = settle(declared, name, attribute)
    return 'attribute' in settled ? settled : { attribute: null, problem: settled.problem }
  })
  const named = [...left.values()].map((kept): [string, Declared] => {
    const lost = costs.flatMap(({ uid, attribute }) =>
      uid === kept.uid && !kept.attributes.has(attribute) ? [attribute] : [],
    )
    return [kept.uid, { ...kept, emptyRelations: emptyIn(all.get(kept.uid) ?? kept, lost) }]
  })
  return { all: new Map(named), costs }
}
