import {
  type Attribute,
  holdsKey,
  isMorphOwner,
  isOwner,
  isPair,
  isRelation,
  isScalar,
  isToMany,
  type PairRelation,
} from './attribute'
import { type Declarations, type Declared, declaredAs } from './declared'
import { storedAs } from './columns-of'
import type { ForeignKey, Index, JoinTable, Physical, PhysicalColumn } from './model'
import {
  columnName,
  componentTableName,
  identifier,
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
  const named = (ending: string): string => identifier([table], ending)
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
  const named = (ending: string): string => identifier([table], ending)
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
  const entity = identifier([collectionName], 'entity', 'fk')
  return {
    table: componentTableName(collectionName),
    columns: [id, key('entity_id'), key('cmp_id'), text('component_type'), text('field'), order('order')],
    indexes: [
      index(identifier([collectionName, 'field'], 'idx'), 'field'),
      index(identifier([collectionName, 'component_type'], 'idx'), 'component_type'),
      index(entity, 'entity_id'),
      unique(identifier([collectionName], 'uq'), 'entity_id', 'cmp_id', 'field', 'component_type'),
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

function joinTablesOf(all: Declarations, owner: Declared): readonly JoinTable[] {
  const links = [...owner.attributes].map((attribute) => joinTableOf(all, owner, attribute))
  return [componentTableOf(owner), ...links].filter((table) => table !== undefined)
}

const documentId: PhysicalColumn = { column: 'document_id', type: 'string', attribute: 'documentId' }

/** Strapi adds them to every content type, even without locales, drafts and creators. */
export const closingColumns: readonly PhysicalColumn[] = [
  { column: 'created_at', type: 'datetime', attribute: 'createdAt' },
  { column: 'updated_at', type: 'datetime', attribute: 'updatedAt' },
  { column: 'published_at', type: 'datetime', attribute: 'publishedAt' },
  { column: 'created_by_id', type: 'key' },
  { column: 'updated_by_id', type: 'key' },
  { column: 'locale', type: 'string', attribute: 'locale' },
]

/** None, if the attribute has a table of its own. */
export function ownColumnsOf(name: string, attribute: Attribute): readonly PhysicalColumn[] {
  if (isScalar(attribute)) {
    return [{ column: columnName(name), type: storedAs(attribute.type), attribute: name }]
  }
  if (!isRelation(attribute)) return []
  if (isMorphOwner(attribute) && attribute.relation === 'morphToOne') {
    return [
      { column: 'target_id', type: 'key' },
      { column: 'target_type', type: 'string' },
    ]
  }
  return isPair(attribute) && holdsKey(attribute) ? [{ column: keyName(name), type: 'key' }] : []
}

function columnsOf({ kind, attributes }: Declared): readonly PhysicalColumn[] {
  const own = [...attributes].flatMap(([name, attribute]) => ownColumnsOf(name, attribute))
  return [{ ...id, attribute: 'id' }, documentId, ...own, ...(kind === 'component' ? [] : closingColumns)]
}

function foreignKeysOf(all: Declarations, { collectionName, attributes }: Declared): readonly ForeignKey[] {
  const table = tableName(collectionName)
  return [...attributes].flatMap(([name, attribute]): readonly ForeignKey[] => {
    if (!isPair(attribute) || !isOwner(attribute) || !holdsKey(attribute)) return []
    const target = declaredAs(all, attribute.target)
    if (target === undefined) return []
    const column = keyName(name)
    const leadsTo = tableName(target.collectionName)
    return [{ name: identifier([table, column], 'fk'), column, table: leadsTo, onDelete: 'SET NULL' }]
  })
}

function indexesOf({ kind, collectionName }: Declared, foreignKeys: readonly ForeignKey[]): readonly Index[] {
  const table = tableName(collectionName)
  const keyed = foreignKeys.map(({ name, column }) => index(name, column))
  if (kind === 'component') return keyed
  const creators = ['created_by_id', 'updated_by_id'].map((column) =>
    index(identifier([table, column], 'fk'), column),
  )
  const documents = identifier([collectionName, 'documents'], 'idx')
  return [index(documents, 'document_id', 'locale', 'published_at'), ...creators, ...keyed]
}

/** Strapi 5's layout, with a document id for components. */
export function physicalOf(all: Declarations, declared: Declared): Omit<Physical, 'hiddenLinks'> {
  const foreignKeys = foreignKeysOf(all, declared)
  return {
    columns: columnsOf(declared),
    indexes: indexesOf(declared, foreignKeys),
    foreignKeys,
    joinTables: joinTablesOf(all, declared),
  }
}
