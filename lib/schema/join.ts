import { isToMany, type PairRelation } from './attribute'
import type { Declared } from './declared'
import {
  inverseKeyName,
  inverseOrderName,
  keyName,
  linkTableName,
  morphTableName,
  orderName,
  tableName,
  typeName,
} from './names'

/** The join table of a relation as its owner sees it. */
export interface Join {
  readonly table: string
  readonly ownerKey: string
  readonly targetKey: string
  /** Keeps the order of an owner's targets, of a target's owners; null where there can be only one. */
  readonly targetOrder: string | null
  readonly ownerOrder: string | null
}

/** A relation from the side that makes its table. */
export interface OwnedRelation {
  readonly owner: Declared
  readonly name: string
  readonly relation: PairRelation
  readonly target: Declared
}

const isManyTo = ({ relation }: PairRelation): boolean => relation.startsWith('many')

function ownerOrder({ owner, relation }: OwnedRelation, targetOrder: string): string | null {
  if (relation.inversedBy === undefined || !isManyTo(relation)) return null
  const name = orderName(owner.singularName)
  // Only where both orders are kept can their names be the same: a type related to itself.
  return relation.relation === 'manyToMany' && name === targetOrder
    ? inverseOrderName(owner.singularName)
    : name
}

export function joinOf(owned: OwnedRelation): Join {
  const { owner, name, relation, target } = owned
  const ownerKey = keyName(owner.singularName)
  const targetKey = keyName(target.singularName)
  const targetOrder = orderName(target.singularName)
  return {
    table: linkTableName(tableName(owner.collectionName), name),
    ownerKey,
    targetKey: targetKey === ownerKey ? inverseKeyName(target.singularName) : targetKey,
    targetOrder: isToMany(relation) ? targetOrder : null,
    ownerOrder: ownerOrder(owned, targetOrder),
  }
}

/** What leads to rows of any type: a table with the key and the uid of each. */
export interface MorphJoin {
  readonly table: string
  readonly ownerKey: string
  readonly targetKey: string
  readonly targetType: string
}

export function morphJoinOf(owner: Declared, attribute: string): MorphJoin {
  return {
    table: morphTableName(tableName(owner.collectionName), attribute),
    ownerKey: keyName(owner.singularName),
    targetKey: keyName(attribute),
    targetType: typeName(attribute),
  }
}
