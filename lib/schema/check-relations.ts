import type { Fault } from '../errors'
import {
  isMorphInverse,
  isMorphOwner,
  isOwner,
  isPair,
  isRelation,
  type MorphInverse,
  type PairKind,
  type PairRelation,
} from './attribute'
import { type Declarations, type Declared, declaredAs, isContentType } from './declared'
import type { Reading } from './reading'
import { step } from './explain'
import { didYouMean } from './nearest'

/** One relation, with where it stands, and how a fault of it is said. */
interface RelationPlace {
  readonly all: Declarations
  readonly owner: Declared
  readonly name: string
  readonly fault: SayFault
  /** What Strapi starts with, though it is not as it is written. */
  readonly loose: SayFault
}

type SayFault = (key: string, problem: string, remedy?: string) => readonly Fault[]

const opposite: Readonly<Record<PairKind, PairKind>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
}

function unknownTarget({ all }: RelationPlace, say: SayFault, target: string): readonly Fault[] {
  const types = [...all.values()].filter(isContentType)
  const names = types
    .map(({ uid, singularName }) => (target.includes('::') ? uid : singularName))
    .filter(Boolean)
  return say('target', `there is no type ${JSON.stringify(target)}`, didYouMean(target, names))
}

/** The type that a relation leads to, or why it leads nowhere. */
function targetOf(place: RelationPlace, say: SayFault, name: string): Declared | readonly Fault[] {
  const target = declaredAs(place.all, name)
  if (target === undefined) return unknownTarget(place, say, name)
  if (isContentType(target)) return target
  return place.loose('target', `${name} is a component`, `"type": "component", "component": "${name}"`)
}

/** Strapi makes a table for these, and does not start where it leads nowhere. */
const ownsForStrapi = ({ inversedBy, mappedBy }: PairRelation): boolean =>
  inversedBy !== undefined || mappedBy === undefined

const isFaults = (target: Declared | readonly Fault[]): target is readonly Fault[] => Array.isArray(target)

function checkSides(
  { fault, loose }: RelationPlace,
  { relation, inversedBy, mappedBy, useJoinTable }: PairRelation,
): readonly Fault[] {
  if (inversedBy !== undefined && mappedBy !== undefined) {
    // Strapi lets inversedBy win, except where it is not to stand at all.
    const say = relation === 'oneToMany' ? fault : loose
    return say(
      'mappedBy',
      'stands beside inversedBy',
      'inversedBy on the side that owns the relation, mappedBy on the other',
    )
  }
  if (relation === 'oneToMany' && inversedBy !== undefined) {
    return fault(
      'inversedBy',
      'a oneToMany cannot own a two-way relation',
      'mappedBy here, inversedBy on the manyToOne',
    )
  }
  if (relation === 'manyToOne' && mappedBy !== undefined) {
    return fault('mappedBy', 'a manyToOne owns its relation', 'inversedBy here, mappedBy on the oneToMany')
  }
  const listInOneColumn = useJoinTable === false && mappedBy === undefined && relation.endsWith('Many')
  const say = relation === 'oneToMany' ? fault : loose
  return listInOneColumn
    ? say('useJoinTable', `a ${relation} cannot do without a join table`, 'leave useJoinTable out')
    : []
}

function checkBack(place: RelationPlace, relation: PairRelation, target: Declared): readonly Fault[] {
  const { owner, name, loose, all } = place
  const [here, there] = isOwner(relation)
    ? (['inversedBy', 'mappedBy'] as const)
    : (['mappedBy', 'inversedBy'] as const)
  const say = ownsForStrapi(relation) ? place.fault : loose
  const by = relation[here]
  if (by === undefined || target.aside.has(by)) return []
  const back = target.attributes.get(by)
  if (back === undefined) {
    const pairs = [...target.attributes].filter(([, attribute]) => isPair(attribute)).map(([one]) => one)
    return say(here, `${target.uid} has no attribute ${JSON.stringify(by)}`, didYouMean(by, pairs))
  }
  if (!isPair(back))
    return (isRelation(back) ? loose : say)(here, `${by} of ${target.uid} is no relation between two types`)
  const leadsTo = declaredAs(all, back.target)
  if (leadsTo !== undefined && leadsTo !== owner) {
    return loose(here, `${by} of ${target.uid} leads to ${leadsTo.uid}`, `its target would be ${owner.uid}`)
  }
  if (back[there] !== name)
    return loose(here, `${by} of ${target.uid} does not point back`, `give it "${there}": "${name}"`)
  // Said once, where the relation is owned.
  if (!isOwner(relation) || back.relation === opposite[relation.relation]) return []
  return loose(
    'relation',
    `${relation.relation} does not fit the ${back.relation} of ${by} of ${target.uid}`,
    `the other side of a ${relation.relation} is a ${opposite[relation.relation]}`,
  )
}

function checkPair(place: RelationPlace, relation: PairRelation): readonly Fault[] {
  const target = targetOf(place, ownsForStrapi(relation) ? place.fault : place.loose, relation.target)
  const sides = checkSides(place, relation)
  if (isFaults(target)) return [...target, ...sides]
  return sides.length > 0 ? sides : checkBack(place, relation, target)
}

function checkMorph(place: RelationPlace, { target: name, morphBy }: MorphInverse): readonly Fault[] {
  const target = targetOf(place, place.fault, name)
  if (isFaults(target)) return target
  const by = target.attributes.get(morphBy)
  if (target.aside.has(morphBy) || (by !== undefined && isMorphOwner(by))) return []
  const owners = [...target.attributes].filter(([, attribute]) => isMorphOwner(attribute)).map(([one]) => one)
  const problem = by === undefined ? 'has no attribute' : 'has no morphToOne or morphToMany'
  const say = by === undefined ? place.fault : place.loose
  return say('morphBy', `${target.uid} ${problem} ${JSON.stringify(morphBy)}`, didYouMean(morphBy, owners))
}

const sayNothing: SayFault = () => []

function sayerOf({ where }: Declared, name: string): SayFault {
  return (key, problem, remedy) => [
    {
      where,
      pointer: `/attributes${step(name)}/${key}`,
      problem,
      ...(remedy === undefined ? {} : { remedy }),
    },
  ]
}

/** Whether the relations of one type lead somewhere, and both sides of a two-way relation say the same. */
export function checkRelations(all: Declarations, owner: Declared, reading: Reading): readonly Fault[] {
  return [...owner.attributes].flatMap(([name, attribute]) => {
    const fault = sayerOf(owner, name)
    const loose = reading === 'strict' ? fault : sayNothing
    const place: RelationPlace = { all, owner, name, fault, loose }
    if (isPair(attribute)) return checkPair(place, attribute)
    return isMorphInverse(attribute) ? checkMorph(place, attribute) : []
  })
}
