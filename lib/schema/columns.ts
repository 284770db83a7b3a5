import {
  type Declared,
  isHidden,
  isScalar,
  type KeyType,
  type ScalarAttribute,
  type ScalarType,
  storedTypes,
  type StoredType,
  type TableColumns,
  tableColumnsOf,
} from './declared'
import type { Column, ColumnType, Extent } from './model'
import { columnName } from './names'

const isStoredAsOther = (type: ScalarType): type is keyof typeof storedTypes =>
  Object.hasOwn(storedTypes, type)

export const storedAs = (type: ScalarType): StoredType => (isStoredAsOther(type) ? storedTypes[type] : type)

const extents: Readonly<Partial<Record<ScalarType, Extent>>> = {
  text: 'paragraph',
  richtext: 'pages',
  json: 'pages',
  blocks: 'pages',
  array: 'pages',
}

export const plainColumn = (name: string, type: ColumnType): Column => ({
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
    ...plainColumn(name, read),
    ...(given === undefined ? {} : { column: given }),
    searchable: read === 'string' && type !== 'password' && attribute.searchable !== false,
    extent: extents[type] ?? 'line',
    identifies: type === 'uid' || (unique === true && uniqueTypes.includes(type)),
    ...(attribute.searchable === false ? ({ unsearchable: true } as const) : {}),
  }
}

/** Requests are restricted by them even if they are private. */
export const publishedAtColumn = plainColumn('publishedAt', 'datetime')
export const localeColumn = plainColumn('locale', 'string')

/** Ids are shown as they are, and document ids as strings. */
const keyTypesShown: Readonly<Record<KeyType, Readonly<Record<'id' | 'documentId', ColumnType>>>> = {
  integer: { id: 'id', documentId: 'biginteger' },
  biginteger: { id: 'biginteger', documentId: 'biginteger' },
  string: { id: 'string', documentId: 'string' },
  uuid: { id: 'string', documentId: 'string' },
}

/** Columns that a client may name, in the order of responses. */
export function columnsOf(declared: Declared): ReadonlyMap<string, Column> {
  const { existing, kind, localized, hidden, attributes } = declared
  const { id, documentId, createdAt, updatedAt } = tableColumnsOf(declared)
  const keyed = (name: 'id' | 'documentId', key: TableColumns['id']): Column => ({
    ...plainColumn(name, keyTypesShown[key.type][name]),
    column: key.name,
    ...(key.type === 'uuid' ? ({ isUuid: true } as const) : {}),
  })
  const timed = (name: string, time: TableColumns['createdAt']): readonly Column[] =>
    time === null ? [] : [{ ...plainColumn(name, time.type), column: time.name }]
  const own = [...attributes].flatMap(([name, attribute]) =>
    isScalar(attribute) && !isHidden(attribute) ? ownColumn(name, attribute) : [],
  )
  const published = existing === null ? [publishedAtColumn] : []
  const timestamps = [...timed('createdAt', createdAt), ...timed('updatedAt', updatedAt), ...published]
  const closing = [...(kind === 'component' ? [] : timestamps), ...(localized ? [localeColumn] : [])]
  const columns = [
    keyed('id', id),
    keyed('documentId', documentId ?? id),
    ...own,
    ...closing.filter(({ name }) => !hidden.has(name)),
  ]
  return new Map(columns.map((one) => [one.name, existing === null ? one : { ...one, isExisting: true }]))
}
