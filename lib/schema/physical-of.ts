import { type Attribute, holdsKey, isMorphOwner, isOwner, isPair, isRelation, isScalar } from './attribute'
import { storedAs } from './columns-of'
import { type Declarations, type Declared, declaredAs } from './declared'
import { joinTablesOf } from './join-tables'
import { hiddenLinksOf } from './build-links'
import type { ForeignKey, Index, Physical, PhysicalColumn } from './model'
import { columnName, indexName, keyName, tableName } from './names'

const id: PhysicalColumn = { column: 'id', type: 'increments', attribute: 'id' }
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
  return [id, documentId, ...own, ...(kind === 'component' ? [] : closingColumns)]
}

function foreignKeysOf(all: Declarations, { collectionName, attributes }: Declared): readonly ForeignKey[] {
  const table = tableName(collectionName)
  return [...attributes].flatMap(([name, attribute]): readonly ForeignKey[] => {
    if (!isPair(attribute) || !isOwner(attribute) || !holdsKey(attribute)) return []
    const target = declaredAs(all, attribute.target)
    if (target === undefined) return []
    const column = keyName(name)
    const leadsTo = tableName(target.collectionName)
    return [{ name: indexName([table, column], 'fk'), column, table: leadsTo, onDelete: 'SET NULL' }]
  })
}

function indexesOf({ kind, collectionName }: Declared, foreignKeys: readonly ForeignKey[]): readonly Index[] {
  const table = tableName(collectionName)
  const keyed = foreignKeys.map(({ name, column }): Index => ({ name, columns: [column], unique: false }))
  if (kind === 'component') return keyed
  const creators = ['created_by_id', 'updated_by_id'].map((column): Index => ({
    name: indexName([table, column], 'fk'),
    columns: [column],
    unique: false,
  }))
  const columns = ['document_id', 'locale', 'published_at']
  return [
    { name: indexName([collectionName, 'documents'], 'idx'), columns, unique: false },
    ...creators,
    ...keyed,
  ]
}

/** Strapi 5's layout, with a document id for components. */
export function physicalOf(all: Declarations, declared: Declared): Physical {
  const foreignKeys = foreignKeysOf(all, declared)
  return {
    columns: columnsOf(declared),
    indexes: indexesOf(declared, foreignKeys),
    foreignKeys,
    joinTables: joinTablesOf(all, declared),
    hiddenLinks: hiddenLinksOf(all, declared),
  }
}
