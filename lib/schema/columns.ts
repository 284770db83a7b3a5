import {
  type Declared,
  type ExistingTable,
  isHidden,
  isScalar,
  type KeyType,
  type ScalarAttribute,
  type ScalarType,
} from './declared'
import type { Column, ColumnType, Extent, PhysicalType } from './model'
import { columnName } from './names'

const storedTypes = {
  richtext: 'text',
  enumeration: 'string',
  email: 'string',
  uid: 'string',
  password: 'string',
  blocks: 'json',
  array: 'json',
} as const satisfies Partial<Record<ScalarType, PhysicalType>>

const isStoredAsOther = (type: ScalarType): type is keyof typeof storedTypes =>
  Object.hasOwn(storedTypes, type)

export const storedAs = (type: ScalarType): PhysicalType & (ColumnType | 'text') =>
  isStoredAsOther(type) ? storedTypes[type] : type

const extents: Readonly<Partial<Record<ScalarType, Extent>>> = {
  text: 'paragraph',
  richtext: 'pages',
  json: 'pages',
  blocks: 'pages',
  array: 'pages',
}

const column = (name: string, type: ColumnType): Column => ({
  name,
  column: columnName(name),
  type,
  searchable: false,
  extent: 'line',
  identifies: false,
})

const uniqueTypes: readonly ScalarType[] = ['string', 'email', 'integer', 'biginteger']

function ownColumn(name: string, attribute: ScalarAttribute): Column {
  const { type, unique, columnName: given } = attribute
  const stored = storedAs(type)
  const read = stored === 'text' ? 'string' : stored
  return {
    ...column(name, read),
    ...(given === undefined ? {} : { column: given }),
    searchable: read === 'string' && type !== 'password' && attribute.searchable !== false,
    extent: extents[type] ?? 'line',
    identifies: type === 'uid' || (unique === true && uniqueTypes.includes(type)),
    ...(attribute.searchable === false ? ({ unsearchable: true } as const) : {}),
  }
}

/** Requests are restricted by them even if they are private. */
export const publishedAtColumn = column('publishedAt', 'datetime')
export const localeColumn = column('locale', 'string')

const timestamps = [column('createdAt', 'datetime'), column('updatedAt', 'datetime'), publishedAtColumn]

/** Ids are shown as they are, and document ids as strings. */
const keyTypesShown: Readonly<Record<KeyType, Readonly<Record<'id' | 'documentId', ColumnType>>>> = {
  integer: { id: 'id', documentId: 'biginteger' },
  biginteger: { id: 'biginteger', documentId: 'biginteger' },
  string: { id: 'string', documentId: 'string' },
  uuid: { id: 'string', documentId: 'string' },
}

function existingColumns(declared: Declared, existing: ExistingTable): readonly Column[] {
  const keyed = (name: 'id' | 'documentId', key: ExistingTable['id']): Column => ({
    ...column(name, keyTypesShown[key.type][name]),
    column: key.name,
    ...(key.type === 'uuid' ? ({ isUuid: true } as const) : {}),
  })
  const timed = (name: 'createdAt' | 'updatedAt'): readonly Column[] => {
    const own = existing[name]
    return own === null || declared.hidden.has(name) ? [] : [{ ...column(name, own.type), column: own.name }]
  }
  const columns = [
    keyed('id', existing.id),
    keyed('documentId', existing.documentId ?? existing.id),
    ...[...declared.attributes].flatMap(([name, attribute]) =>
      isScalar(attribute) && !isHidden(attribute) ? ownColumn(name, attribute) : [],
    ),
    ...timed('createdAt'),
    ...timed('updatedAt'),
  ]
  return columns.map((one) => ({ ...one, isExisting: true }))
}

/** Columns that a client may name, in the order of responses. */
export function columnsOf(declared: Declared): ReadonlyMap<string, Column> {
  const { existing } = declared
  const columns = existing === null ? strapiColumns(declared) : existingColumns(declared, existing)
  return new Map(columns.map((one) => [one.name, one]))
}

function strapiColumns(declared: Declared): readonly Column[] {
  const isComponent = declared.kind === 'component'
  return [
    column('id', 'id'),
    column('documentId', 'string'),
    ...[...declared.attributes].flatMap(([name, attribute]) =>
      isScalar(attribute) && !isHidden(attribute) ? ownColumn(name, attribute) : [],
    ),
    ...(isComponent ? [] : timestamps).filter(({ name }) => !declared.hidden.has(name)),
    ...(declared.localized && !declared.hidden.has('locale') ? [localeColumn] : []),
  ]
}
