import type { Fault } from '../errors'
import {
  isMorphInverse,
  isMorphOwner,
  isOwner,
  isPair,
  type MorphInverse,
  type PairKind,
  type PairRelation,
} from './attribute'
import { type Declarations, type Declared, declaredAs } from './declared'
import { step } from './explain'
import { didYouMean } from './nearest'

/** One relation, with where it stands, and how a fault of it is said. */
interface RelationPlace {
  readonly all: Declarations
  readonly owner: Declared
  readonly name: string
  readonly fault: (key: string, problem: string, remedy?: string) => readonly Fault[]
}

const opposite: Readonly<Record<PairKind, PairKind>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
}

const isContentType = ({ kind }: Declared): boolean => kind !== 'component'

function unknownTarget({ all, fault }: RelationPlace, target: string): readonly Fault[] {
  const types = [...all.values()].filter(isContentType)
  const names = target.includes('::')
    ? types.map(({ uid }) => uid)
    : types.map(({ singularName }) => singularName)
  return fault('target', `there is no type ${JSON.stringify(target)}`, didYouMean(target, names))
}

/** The type that a relation leads to, or why it leads nowhere. */
function targetOf(place: RelationPlace, name: string): Declared | readonly Fault[] {
  const target = declaredAs(place.all, name)
  if (target === undefined) return unknownTarget(place, name)
  if (isContentType(target)) return target
  return place.fault('target', `${name} is a component`, `"type": "component", "component": "${name}"`)
}

const isFaults = (target: Declared | readonly Fault[]): target is readonly Fault[] => Array.isArray(target)

function checkSides(
  { fault }: RelationPlace,
  { relation, inversedBy, mappedBy, useJoinTable }: PairRelation,
): readonly Fault[] {
  if (inversedBy !== undefined && mappedBy !== undefined) {
    return fault(
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
  return listInOneColumn
    ? fault('useJoinTable', `a ${relation} cannot do without a join table`, 'leave useJoinTable out')
    : []
}

function checkBack(place: RelationPlace, relation: PairRelation, target: Declared): readonly Fault[] {
  const { owner, name, fault, all } = place
  const [here, there] = isOwner(relation)
    ? (['inversedBy', 'mappedBy'] as const)
    : (['mappedBy', 'inversedBy'] as const)
  const by = relation[here]
  if (by === undefined || target.aside.has(by)) return []
  const back = target.attributes.get(by)
  if (back === undefined) {
    const pairs = [...target.attributes].filter(([, attribute]) => isPair(attribute)).map(([one]) => one)
    return fault(here, `${target.uid} has no attribute ${JSON.stringify(by)}`, didYouMean(by, pairs))
  }
  if (!isPair(back)) return fault(here, `${by} of ${target.uid} is no relation between two types`)
  const leadsTo = declaredAs(all, back.target)
  if (leadsTo !== undefined && leadsTo !== owner) {
    return fault(here, `${by} of ${target.uid} leads to ${leadsTo.uid}`, `its target would be ${owner.uid}`)
  }
  if (back[there] !== name)
    return fault(here, `${by} of ${target.uid} does not point back`, `give it "${there}": "${name}"`)
  // Said once, where the relation is owned.
  if (!isOwner(relation) || back.relation === opposite[relation.relation]) return []
  return fault(
    'relation',
    `${relation.relation} does not fit the ${back.relation} of ${by} of ${target.uid}`,
    `the other side of a ${relation.relation} is a ${opposite[relation.relation]}`,
  )
}

function checkPair(place: RelationPlace, relation: PairRelation): readonly Fault[] {
  const target = targetOf(place, relation.target)
  const sides = checkSides(place, relation)
  if (isFaults(target)) return [...target, ...sides]
  return sides.length > 0 ? sides : checkBack(place, relation, target)
}

function checkMorph(place: RelationPlace, { target: name, morphBy }: MorphInverse): readonly Fault[] {
  const target = targetOf(place, name)
  if (isFaults(target)) return target
  const by = target.attributes.get(morphBy)
  if (target.aside.has(morphBy) || (by !== undefined && isMorphOwner(by))) return []
  const owners = [...target.attributes].filter(([, attribute]) => isMorphOwner(attribute)).map(([one]) => one)
  const problem = by === undefined ? 'has no attribute' : 'has no morphToOne or morphToMany'
  return place.fault(
    'morphBy',
    `${target.uid} ${problem} ${JSON.stringify(morphBy)}`,
    didYouMean(morphBy, owners),
  )
}

/** Whether the relations of one type lead somewhere, and both sides of a two-way relation say the same. */
export function checkRelations(all: Declarations, owner: Declared): readonly Fault[] {
  return [...owner.attributes].flatMap(([name, attribute]) => {
    const place: RelationPlace = {
      all,
      owner,
      name,
      fault: (key, problem, remedy) => [
        {
          where: owner.where,
          pointer: `/attributes${step(name)}/${key}`,
          problem,
          ...(remedy === undefined ? {} : { remedy }),
        },
      ],
    }
    if (isPair(attribute)) return checkPair(place, attribute)
    return isMorphInverse(attribute) ? checkMorph(place, attribute) : []
  })
}
