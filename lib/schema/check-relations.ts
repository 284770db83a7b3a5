import type { Fault } from '../errors'
import {
  isMorphInverse,
  isMorphOwner,
  isOwner,
  isPair,
  isRelation,
  type MorphInverse,
  type PairRelation,
} from './attribute'
import { type Declarations, type Declared, declaredAs, isContentType } from './declared'
import { step } from './explain'
import { didYouMean } from './nearest'

/** How a fault of one relation is said. */
interface RelationPlace {
  readonly all: Declarations
  readonly fault: SayFault
}

type SayFault = (key: string, problem: string, remedy?: string) => readonly Fault[]

function unknownTarget({ all, fault }: RelationPlace, target: string): readonly Fault[] {
  const types = [...all.values()].filter(isContentType)
  const names = types
    .map(({ uid, singularName }) => (target.includes('::') ? uid : singularName))
    .filter(Boolean)
  return fault('target', `there is no type ${JSON.stringify(target)}`, didYouMean(target, names))
}

/** Strapi makes a table for these, and does not start where it leads nowhere. */
const ownsForStrapi = ({ inversedBy, mappedBy }: PairRelation): boolean =>
  inversedBy !== undefined || mappedBy === undefined

function checkSides({ fault }: RelationPlace, relation: PairRelation): readonly Fault[] {
  const { inversedBy, mappedBy, useJoinTable } = relation
  if (relation.relation === 'manyToOne' && mappedBy !== undefined && inversedBy === undefined)
    return fault('mappedBy', 'a manyToOne owns its relation', 'inversedBy here, mappedBy on the oneToMany')
  if (relation.relation !== 'oneToMany') return []
  if (inversedBy !== undefined && mappedBy !== undefined) {
    return fault(
      'mappedBy',
      'stands beside inversedBy',
      'inversedBy on the side that owns the relation, mappedBy on the other',
    )
  }
  if (inversedBy !== undefined) {
    return fault(
      'inversedBy',
      'a oneToMany cannot own a two-way relation',
      'mappedBy here, inversedBy on the manyToOne',
    )
  }
  return useJoinTable === false && mappedBy === undefined
    ? fault('useJoinTable', 'a oneToMany cannot do without a join table', 'leave useJoinTable out')
    : []
}

function checkBack({ fault }: RelationPlace, relation: PairRelation, target: Declared): readonly Fault[] {
  const here = isOwner(relation) ? 'inversedBy' : 'mappedBy'
  const by = relation[here]
  if (by === undefined || target.aside.has(by)) return []
  const back = target.attributes.get(by)
  if (back === undefined) {
    const pairs = [...target.attributes].filter(([, attribute]) => isPair(attribute)).map(([one]) => one)
    return fault(here, `${target.uid} has no attribute ${JSON.stringify(by)}`, didYouMean(by, pairs))
  }
  return isRelation(back) ? [] : fault(here, `${by} of ${target.uid} is no relation between two types`)
}

/** What Strapi starts with is left to `loosenRelations`: the other side of a relation costs its attribute alone. */
function checkPair(place: RelationPlace, relation: PairRelation): readonly Fault[] {
  const sides = checkSides(place, relation)
  if (!ownsForStrapi(relation)) return sides
  const target = declaredAs(place.all, relation.target)
  if (target === undefined) return [...unknownTarget(place, relation.target), ...sides]
  return sides.length > 0 || !isContentType(target) ? sides : checkBack(place, relation, target)
}

function checkMorph(place: RelationPlace, { target: name, morphBy }: MorphInverse): readonly Fault[] {
  const target = declaredAs(place.all, name)
  if (target === undefined) return unknownTarget(place, name)
  if (!isContentType(target) || target.attributes.has(morphBy) || target.aside.has(morphBy)) return []
  const owners = [...target.attributes].filter(([, attribute]) => isMorphOwner(attribute)).map(([one]) => one)
  const problem = `${target.uid} has no attribute ${JSON.stringify(morphBy)}`
  return place.fault('morphBy', problem, didYouMean(morphBy, owners))
}

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

/** Relations with which Strapi does not start. */
export function checkRelations(all: Declarations, owner: Declared): readonly Fault[] {
  return [...owner.attributes].flatMap(([name, attribute]) => {
    const place: RelationPlace = { all, fault: sayerOf(owner, name) }
    if (isPair(attribute)) return checkPair(place, attribute)
    return isMorphInverse(attribute) ? checkMorph(place, attribute) : []
  })
}
