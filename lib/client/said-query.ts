import { ContentError } from './content-error'
import { isDate, queryText } from './query-text'

type SayableTable = Readonly<Record<string, unknown>>

const isTable = (value: unknown): value is SayableTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isDate(value)

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const isUnsaid = (value: unknown): boolean => queryText({ value }) === ''

/** A condition that falls away shows what it was to keep back: `{ owner: user?.id }` where no user is logged in. */
function unsayable(path: readonly string[]): ContentError {
  const at = path.join('.')
  const message = `Invalid query: no URL can say what stands at ${at}`
  return new ContentError(400, { error: { name: 'ValidationError', message, details: { path: at } } })
}

/** Nothing is among no values. */
const nothing = { $null: true, $notNull: true }

/** All but those of an empty list are all. */
const anything = { $not: nothing }

function saidEmptyList(name: string, path: readonly string[]): SayableTable {
  if (name === '$notIn') return {}
  if (name === '$in') return nothing
  if (name.startsWith('$')) throw unsayable(path)
  return { [name]: nothing }
}

function saidTable(conditions: SayableTable, path: readonly string[]): SayableTable {
  const names = Object.keys(conditions)
  if (names.length === 0) throw unsayable(path)
  const said = Object.assign(
    {},
    ...names.map((name) => {
      const [value, at] = [conditions[name], [...path, name]]
      return isEmptyList(value) ? saidEmptyList(name, at) : { [name]: saidConditions(value, at) }
    }),
  ) as SayableTable
  return isUnsaid(said) ? anything : said
}

function saidConditions(value: unknown, path: readonly string[]): unknown {
  if (isTable(value)) return saidTable(value, path)
  if (isUnsaid(value)) throw unsayable(path)
  return Array.isArray(value)
    ? value.map((part, index) => saidConditions(part, [...path, String(index)]))
    : value
}

/** Of each link what is asked of it, if only that it be shown. */
const saidOfEach = (table: SayableTable, path: readonly string[]): SayableTable =>
  Object.fromEntries(
    Object.entries(table).map(([name, asked]) => {
      if (!isTable(asked)) return [name, asked]
      const said = saidQuery(asked, [...path, name])
      return [name, isUnsaid(said) ? true : said]
    }),
  )

function saidPart(name: string, value: unknown, path: readonly string[]): unknown {
  switch (name) {
    case 'fields':
      // Without any, all would be shown.
      return isEmptyList(value) ? ['id'] : value
    case 'filters':
      return isTable(value) && Object.keys(value).length > 0 ? saidTable(value, path) : value
    case 'on':
      if (isUnsaid(value)) throw unsayable(path)
      return isTable(value) ? saidOfEach(value, path) : value
    case 'populate':
      return isTable(value) ? saidOfEach(value, path) : value
    default:
      return value
  }
}

/** A query in words that a URL can say, so that it means there what it means as an object. */
export const saidQuery = (query: object, path: readonly string[] = []): SayableTable =>
  Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]: [string, unknown]) => [name, saidPart(name, value, [...path, name])]),
  )
