import { type Attribute, isScalar, type ScalarAttribute, type ScalarType } from './attribute'
import type { Declared } from './declared'
import type { Column, ColumnType, Extent, PhysicalType } from './model'
import { columnName } from './names'

interface StoredColumn {
  readonly read: ColumnType
  readonly stored: PhysicalType
  readonly searchable: boolean
  readonly extent: Extent
}

const searched = (stored: PhysicalType, extent: Extent): StoredColumn => ({
  read: 'string',
  stored,
  searchable: true,
  extent,
})
const plain = (type: ColumnType & PhysicalType, extent: Extent = 'line'): StoredColumn => ({
  read: type,
  stored: type,
  searchable: false,
  extent,
})

const storage: Readonly<Record<ScalarType, StoredColumn>> = {
  string: searched('string', 'line'),
  text: searched('text', 'paragraph'),
  richtext: searched('text', 'pages'),
  enumeration: searched('string', 'line'),
  email: searched('string', 'line'),
  uid: searched('string', 'line'),
  password: plain('string'),
  date: plain('date'),
  time: plain('time'),
  datetime: plain('datetime'),
  timestamp: plain('timestamp'),
  integer: plain('integer'),
  biginteger: plain('biginteger'),
  float: plain('float'),
  decimal: plain('decimal'),
  boolean: plain('boolean'),
  json: plain('json', 'pages'),
  blocks: plain('json', 'pages'),
  array: plain('json', 'pages'),
}

export const storedAs = (type: ScalarType): PhysicalType => storage[type].stored

export const isHidden = (attribute: Attribute): boolean => attribute.private ?? attribute.type === 'password'

const column = (name: string, type: ColumnType): Column => ({
  name,
  column: columnName(name),
  type,
  searchable: false,
  extent: 'line',
  identifies: false,
})

const uniqueTypes: readonly ScalarType[] = ['string', 'email', 'integer', 'biginteger']

const identifies = ({ type, unique }: ScalarAttribute): boolean =>
  type === 'uid' || (unique === true && uniqueTypes.includes(type))

function ownColumns({ attributes }: Declared): readonly Column[] {
  return [...attributes].flatMap(([name, attribute]): readonly Column[] => {
    if (!isScalar(attribute) || isHidden(attribute)) return []
    const { read, searchable, extent } = storage[attribute.type]
    const own = { ...column(name, read), searchable, extent, identifies: identifies(attribute) }
    return [attribute.searchable === false ? { ...own, searchable: false, unsearchable: true } : own]
  })
}

/** Requests are restricted by them even if they are private. */
export const publishedAtColumn = column('publishedAt', 'datetime')
export const localeColumn = column('locale', 'string')

const timestamps = [column('createdAt', 'datetime'), column('updatedAt', 'datetime'), publishedAtColumn]

/** Columns that a client may name, in the order of responses. */
export function columnsOf(declared: Declared): ReadonlyMap<string, Column> {
  const isComponent = declared.kind === 'component'
  const columns = [
    column('id', 'id'),
    column('documentId', 'string'),
    ...ownColumns(declared),
    ...(isComponent ? [] : timestamps).filter(({ name }) => !declared.hidden.has(name)),
    ...(declared.localized && !declared.hidden.has('locale') ? [localeColumn] : []),
  ]
  return new Map(columns.map((one) => [one.name, one]))
}
