import {
  type Attribute,
  holdsKey,
  isMorphOwner,
  isOwner,
  isPair,
  isToMany,
  type PairRelation,
} from './attribute'
import { type Declarations, type Declared, declaredAs } from './declared'
import type { ForeignKey, Index, JoinTable, PhysicalColumn } from './model'
import {
  componentTableName,
  indexName,
  tableName,
  inverseKeyName,
  inverseOrderName,
  keyName,
  linkTableName,
  morphTableName,
  orderName,
  typeName,
} from './names'

interface Join {
  readonly table: string
  readonly ownerKey: string
  readonly targetKey: string
  /** Order columns of each side; null on a side with one entry at most. */
  readonly targetOrder: string | null
  readonly ownerOrder: string | null
}

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
  // A type related to itself keeps both orders under one name.
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

interface MorphJoin {
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

const id: PhysicalColumn = { column: 'id', type: 'increments' }
const key = (column: string): PhysicalColumn => ({ column, type: 'key' })
const text = (column: string): PhysicalColumn => ({ column, type: 'string' })
const order = (column: string): PhysicalColumn => ({ column, type: 'order' })

const index = (name: string, ...columns: readonly string[]): Index => ({ name, columns, unique: false })
const unique = (name: string, ...columns: readonly string[]): Index => ({ name, columns, unique: true })
const cascade = (name: string, column: string, table: string): ForeignKey => ({
  name,
  column,
  table,
  onDelete: 'CASCADE',
})

function linkTable(owned: OwnedRelation): JoinTable {
  const { owner, target } = owned
  const { table, ownerKey, targetKey, targetOrder, ownerOrder } = joinOf(owned)
  const named = (ending: string): string => indexName([table], ending)
  const orders = [targetOrder, ownerOrder].filter((column) => column !== null)
  return {
    table,
    columns: [id, key(ownerKey), key(targetKey), ...orders.map(order)],
    indexes: [
      index(named('fk'), ownerKey),
      index(named('ifk'), targetKey),
      unique(named('uq'), ownerKey, targetKey),
      ...(targetOrder === null ? [] : [index(named('ofk'), targetOrder)]),
      ...(ownerOrder === null ? [] : [index(named('oifk'), ownerOrder)]),
    ],
    foreignKeys: [
      cascade(named('fk'), ownerKey, tableName(owner.collectionName)),
      cascade(named('ifk'), targetKey, tableName(target.collectionName)),
    ],
  }
}

function morphTable(owner: Declared, name: string): JoinTable {
  const { table, ownerKey, targetKey, targetType } = morphJoinOf(owner, name)
  const named = (ending: string): string => indexName([table], ending)
  return {
    table,
    columns: [id, key(ownerKey), key(targetKey), text(targetType), text('field'), order('order')],
    indexes: [index(named('fk'), ownerKey), index(named('oidx'), 'order'), index(named('idix'), targetKey)],
    foreignKeys: [cascade(named('fk'), ownerKey, tableName(owner.collectionName))],
  }
}

/** One table for all components and zones of a type. Strapi names its indexes after the type's own table. */
export function componentTableOf({ collectionName, attributes }: Declared): JoinTable | undefined {
  const nests = [...attributes.values()].some(({ type }) => type === 'component' || type === 'dynamiczone')
  if (!nests) return undefined
  const entity = indexName([collectionName], 'entity', 'fk')
  return {
    table: componentTableName(collectionName),
    columns: [id, key('entity_id'), key('cmp_id'), text('component_type'), text('field'), order('order')],
    indexes: [
      index(indexName([collectionName, 'field'], 'idx'), 'field'),
      index(indexName([collectionName, 'component_type'], 'idx'), 'component_type'),
      index(entity, 'entity_id'),
      unique(indexName([collectionName], 'uq'), 'entity_id', 'cmp_id', 'field', 'component_type'),
    ],
    foreignKeys: [cascade(entity, 'entity_id', tableName(collectionName))],
  }
}

export function joinTableOf(
  all: Declarations,
  owner: Declared,
  [name, attribute]: readonly [name: string, attribute: Attribute],
): JoinTable | undefined {
  if (isMorphOwner(attribute))
    return attribute.relation === 'morphToMany' ? morphTable(owner, name) : undefined
  if (!isPair(attribute) || !isOwner(attribute) || holdsKey(attribute)) return undefined
  const target = declaredAs(all, attribute.target)
  return target === undefined ? undefined : linkTable({ owner, name, relation: attribute, target })
}

export function joinTablesOf(all: Declarations, owner: Declared): readonly JoinTable[] {
  const links = [...owner.attributes].map((attribute) => joinTableOf(all, owner, attribute))
  return [componentTableOf(owner), ...links].filter((table) => table !== undefined)
}
