import {
  type Attribute,
  type Declarations,
  type Declared,
  type ExistingTable,
  holdsKey,
  isMorphOwner,
  isOwner,
  isPair,
  isRelation,
  isScalar,
  isToMany,
  type KeyType,
  namedIn,
  type PairRelation,
  tableColumnsOf,
  type TimeType,
} from './declared'
import { storedAs } from './columns'
import type { ForeignKey, Index, JoinTable, KeyOfRows, Physical, PhysicalColumn } from './model'
import {
  columnName,
  componentTableName,
  identifier,
  inverseName,
  keyName,
  linkTableName,
  orderName,
  snakeCase,
  tableName,
} from './names'

const inSchemaOf = ({ existing }: Declared, table: string): string =>
  existing === null || existing.schema === null ? table : `${existing.schema}.${table}`

export const tableOf = (declared: Declared): string =>
  declared.existing === null
    ? tableName(declared.collectionName)
    : inSchemaOf(declared, declared.collectionName)

export function keyOfRows(declared: Declared): KeyOfRows {
  const { name, type } = tableColumnsOf(declared).id
  return { column: name, type }
}

export const foreignKeyOf = (name: string, { joinColumn }: PairRelation): string =>
  joinColumn?.name ?? keyName(name)

/** A pair relation, seen from the side that has its table or key. */
interface OwnedRelation {
  readonly owner: Declared
  readonly name: string
  readonly relation: PairRelation
  readonly target: Declared
}

/** The order of a side is null if the side has one entry at most. */
export function joinOf({ owner, name, relation, target }: OwnedRelation) {
  const { joinTable } = relation
  if (joinTable !== undefined)
    return {
      table: inSchemaOf(owner, joinTable.name),
      ownerKey: joinTable.joinColumn.name,
      targetKey: joinTable.inverseJoinColumn.name,
      targetOrder: joinTable.orderColumn?.name ?? null,
      ownerOrder: null,
    }
  const ownerKey = keyName(owner.singularName)
  const targetKey = keyName(target.singularName)
  const ownerOrder = orderName(owner.singularName)
  const targetOrder = orderName(target.singularName)
  const isMutual = relation.relation === 'manyToMany' && ownerOrder === targetOrder
  const isOrdered = relation.inversedBy !== undefined && relation.relation.startsWith('many')
  return {
    table: linkTableName(tableName(owner.collectionName), name),
    ownerKey,
    targetKey: targetKey === ownerKey ? inverseName(target.singularName, 'id') : targetKey,
    targetOrder: isToMany(relation) ? targetOrder : null,
    // A type related to itself keeps both orders under one name.
    ownerOrder: !isOrdered ? null : isMutual ? inverseName(owner.singularName, 'ord') : ownerOrder,
  }
}

export function morphJoinOf(owner: Declared, attribute: string) {
  return {
    table: identifier([snakeCase(tableName(owner.collectionName)), snakeCase(attribute)], 'mph'),
    ownerKey: keyName(owner.singularName),
    targetKey: keyName(attribute),
    targetType: identifier([snakeCase(attribute)], 'type'),
  }
}

const id: PhysicalColumn = { column: 'id', type: 'increments' }
const key = (column: string): PhysicalColumn => ({ column, type: 'key' })
const typed = (column: string, type: KeyType | TimeType): PhysicalColumn =>
  type === 'integer' ? key(column) : { column, type }
const keyTo = (column: string, target: Declared): PhysicalColumn => typed(column, keyOfRows(target).type)
const text = (column: string): PhysicalColumn => ({ column, type: 'string' })
const order = (column: string): PhysicalColumn => ({ column, type: 'order' })

const index = (name: string, ...columns: readonly string[]): Index => ({ name, columns, unique: false })
const unique = (name: string, ...columns: readonly string[]): Index => ({ name, columns, unique: true })
const cascade = (name: string, column: string, collectionName: string): ForeignKey => {
  return { name, column, table: tableName(collectionName), onDelete: 'CASCADE' }
}

function linkTable(owned: OwnedRelation): JoinTable {
  const { owner, target, relation } = owned
  const { table, ownerKey, targetKey, targetOrder, ownerOrder } = joinOf(owned)
  const named = (ending: string): string => identifier([table], ending)
  const orders = [targetOrder, ownerOrder].filter((column) => column !== null)
  const keys = [keyTo(ownerKey, owner), keyTo(targetKey, target), ...orders.map(order)]
  if (relation.joinTable !== undefined)
    return { table, columns: keys, indexes: [], foreignKeys: [], isExisting: true }
  return {
    table,
    columns: [id, ...keys],
    indexes: [
      index(named('fk'), ownerKey),
      index(named('ifk'), targetKey),
      unique(named('uq'), ownerKey, targetKey),
      ...(targetOrder === null ? [] : [index(named('ofk'), targetOrder)]),
      ...(ownerOrder === null ? [] : [index(named('oifk'), ownerOrder)]),
    ],
    foreignKeys: [
      cascade(named('fk'), ownerKey, owner.collectionName),
      ...(target.existing === null ? [cascade(named('ifk'), targetKey, target.collectionName)] : []),
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
    foreignKeys: [cascade(named('fk'), ownerKey, owner.collectionName)],
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
    foreignKeys: [cascade(entity, 'entity_id', collectionName)],
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
  const target = namedIn(all, attribute.target)
  return target === undefined ? undefined : linkTable({ owner, name, relation: attribute, target })
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
export function ownColumnsOf(
  all: Declarations,
  [name, attribute]: readonly [name: string, attribute: Attribute],
): readonly PhysicalColumn[] {
  if (isScalar(attribute)) {
    const { columnName: given = columnName(name), type } = attribute
    return [{ column: given, type: storedAs(type), attribute: name }]
  }
  if (!isRelation(attribute)) return []
  if (attribute.relation === 'morphToOne') return [key('target_id'), text('target_type')]
  if (!isPair(attribute) || !holdsKey(attribute)) return []
  const target = namedIn(all, attribute.target)
  return target === undefined ? [] : [keyTo(foreignKeyOf(name, attribute), target)]
}

/** Only Strapi has `admin_users`; `migrate` makes no keys to tables that are missing. */
function foreignKeysOf(
  all: Declarations,
  { kind, collectionName, attributes }: Declared,
): readonly ForeignKey[] {
  const from = tableName(collectionName)
  const foreignKey = (column: string, table: string): ForeignKey => {
    return { name: identifier([from, column], 'fk'), column, table, onDelete: 'SET NULL' }
  }
  const creators = ['created_by_id', 'updated_by_id'].map((column) => foreignKey(column, 'admin_users'))
  const own = [...attributes].flatMap(([name, attribute]) => {
    if (!isPair(attribute) || !holdsKey(attribute)) return []
    const target = namedIn(all, attribute.target)
    return target === undefined ? [] : foreignKey(keyName(name), tableName(target.collectionName))
  })
  return kind === 'component' ? own : [...creators, ...own]
}

function indexesOf({ kind, collectionName }: Declared, foreignKeys: readonly ForeignKey[]): readonly Index[] {
  const keyed = foreignKeys.map(({ name, column }) => index(name, column))
  if (kind === 'component') return keyed
  const documents = identifier([collectionName, 'documents'], 'idx')
  return [index(documents, 'document_id', 'locale', 'published_at'), ...keyed]
}

/** Columns of an existing table that are no attributes of the definition. */
export function existingKeysOf(table: ExistingTable): readonly PhysicalColumn[] {
  const { id, documentId, createdAt, updatedAt } = table
  return [id, documentId, createdAt, updatedAt].flatMap((one) =>
    one === null ? [] : typed(one.name, one.type),
  )
}

/** Strapi 5's layout, with a document id for components; or an existing table. */
export function physicalOf(all: Declarations, declared: Declared): Omit<Physical, 'hiddenLinks'> {
  const { existing, kind } = declared
  const attributes = [...declared.attributes]
  const own = attributes.flatMap((attribute) => ownColumnsOf(all, attribute))
  const joinTables = attributes.flatMap((attribute) => joinTableOf(all, declared, attribute) ?? [])
  if (existing !== null) {
    const columns = new Map([...existingKeysOf(existing), ...own].map((one) => [one.column, one]))
    return { isExisting: true, columns: [...columns.values()], indexes: [], foreignKeys: [], joinTables }
  }
  const foreignKeys = foreignKeysOf(all, declared)
  return {
    isExisting: false,
    columns: [
      { ...id, attribute: 'id' },
      documentId,
      ...own,
      ...(kind === 'component' ? [] : closingColumns),
    ],
    indexes: indexesOf(declared, foreignKeys),
    foreignKeys,
    joinTables: [componentTableOf(declared) ?? [], joinTables].flat(),
  }
}
