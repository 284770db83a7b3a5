import { type Attribute, isMorphInverse, isMorphOwner, isPair, type PairRelation } from './attribute'
import { type Declarations, type Declared, declaredAs } from './declared'

// Strapi lets the side that has `inversedBy`, or neither word, make the table, and tells the side that it names where that
// is. A side that no other named has no table, and is never in an answer; one that several named keeps the last one's.

/** Whose table or key holds a relation. */
interface Holder {
  readonly uid: string
  readonly name: string
}

type Holders = ReadonlyMap<string, Holder>

const placeOf = (uid: string, name: string): string => `${uid} ${name}`

const makesTable = ({ inversedBy, mappedBy, relation, useJoinTable }: PairRelation): boolean =>
  (inversedBy !== undefined || mappedBy === undefined) &&
  !(relation === 'manyToMany' && useJoinTable === false)

/** Plugins come first, then the project's types as their folders are called, then components. */
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

export type SettledRelation = { readonly attribute: Attribute } | { readonly problem: string }

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

/** How Strapi reads each relation, or why it is never in an answer. */
export function settler(
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
