import { forbidden, malformed } from '../../lib/errors'
import { pagination } from '../../lib/json'
import type { PlannedReading, PermittedList, ReadingRequest, ReadingSettings } from '../../lib/http'
import type { Order } from '../../lib/plan'
import type { RawObject } from '../../lib/query'
import type { Run } from '../../lib/read'
import type { ColumnType } from '../../lib/schema'
import type { Row } from '../../lib/sql'
import { type AskedAggregate, type AskedGroup, readAggregateQuery, readGroups } from './aggregate-query'
import { datedTypes } from './first-day-of'
import {
  type GroupQuery,
  groupStatements,
  isWhole,
  type PlacedAggregate,
  type PlacedGroup,
} from './group-statement'

/** The smallest group that one of the grants shows. */
const minGroupOf = (grants: ReadingRequest['grants']): number =>
  Math.min(...grants.map((grant) => (grant === true ? 1 : Number(Reflect.get(grant, 'minGroup') ?? 1))))

export const numericTypes: readonly ColumnType[] = ['integer', 'biginteger', 'float', 'decimal']

function checkOrder({ column, counted }: Order<never>, path: readonly string[]): void {
  if (counted !== null || column.type === 'json')
    throw malformed(path, `${column.name} has no groups: it is ${counted === null ? 'JSON' : 'a count'}`)
}

function placeGroup(group: AskedGroup, order: Order<never>): PlacedGroup {
  const path = [...group.key.path]
  checkOrder(order, path)
  const { name, type } = order.column
  if (group.part !== null && !datedTypes.includes(type))
    throw malformed(path, `${name} is not a date and has no ${group.part}`)
  return { ...group, order }
}

function placeAggregate(aggregate: AskedAggregate, order: Order<never>): PlacedAggregate {
  const path = [...aggregate.key.path]
  checkOrder(order, path)
  const { name, type } = order.column
  const list = order.steps.find(({ field }) => field.many)
  if (list !== undefined)
    throw malformed(
      path,
      `${list.field.name} is a to-many relation: aggregate the entries of that type instead`,
    )
  const { of } = aggregate
  if ((of === 'sum' || of === 'avg') && !numericTypes.includes(type))
    throw malformed(path, `${of} requires a number, and ${name} is not a number`)
  if ((of === 'min' || of === 'max') && type === 'boolean')
    throw malformed(path, `${of} requires a number, a date or a string, and ${name} is a boolean`)
  return { ...aggregate, order }
}

/** The permitted order of each asked path. */
const orderAt = ({ keys }: PermittedList, at: number): Order<never> => {
  const order = keys[at]
  if (order === undefined) throw new Error('each path of a reading is planned')
  return order
}

/** Integers beyond 2^53 are strings, because JSON readers round them. */
function integerIn(value: unknown, isString: boolean): number | string {
  const text = String(value)
  return isString || !Number.isSafeInteger(Number(text)) ? text : Number(text)
}

type ReadCell = (value: unknown) => unknown

const nullOr =
  (read: ReadCell): ReadCell =>
  (value) =>
    value === null ? null : read(value)

/** Databases add doubles in different orders, so that the last digits differ. */
const doubleIn = (value: unknown): number => Number(Number(value).toPrecision(15))

/** Sums of 64-bit integers of SQLite have two halves. */
function joinHalves(value: unknown): unknown {
  const [high = '', low] = String(value).split(' ')
  return low === undefined ? value : BigInt(high) * 2n ** 32n + BigInt(low)
}

function aggregateReader({ database, writerOf }: ReadingSettings, { of, order }: PlacedAggregate): ReadCell {
  const { column, model } = order
  if (of === 'countDistinct') return (value) => integerIn(value, false)
  if (of === 'avg') return nullOr(doubleIn)
  if (of === 'sum') {
    if (isWhole(column.type))
      return nullOr((value) => integerIn(joinHalves(value), column.type === 'biginteger'))
    const isExact = column.type === 'decimal' && database.dialect !== 'sqlite'
    return nullOr(isExact ? Number : doubleIn)
  }
  return jsonReader(writerOf(model, column))
}

const jsonReader = (write: (value: unknown) => string): ReadCell =>
  nullOr((value) => JSON.parse(write(value)))

const readerOfGroup = ({ writerOf }: ReadingSettings, { part, order }: PlacedGroup): ReadCell =>
  part === null ? jsonReader(writerOf(order.model, order.column)) : nullOr(String)

function rowReader(settings: ReadingSettings, query: GroupQuery): (row: Row) => object {
  const { groups, aggregates, counts } = query
  const ofGroups = groups.map((group) => readerOfGroup(settings, group))
  const ofAggregates = aggregates.map((one) => aggregateReader(settings, one))
  return (row) => {
    const made: Record<string, unknown> = {
      group: Object.fromEntries(groups.map(({ name }, at) => [name, ofGroups[at]?.(row[at])])),
    }
    if (counts) made['count'] = integerIn(row[groups.length], false)
    aggregates.forEach(({ of, attribute }, at) => {
      const values = (made[of] ??= {}) as Record<string, unknown>
      values[attribute] = ofAggregates[at]?.(row[groups.length + 1 + at])
    })
    return made
  }
}

/** Plans `/articles/aggregate`. */
export function planAggregates(raw: RawObject, { grants }: ReadingRequest): PlannedReading {
  const { asked, query } = readAggregateQuery(raw)
  return {
    query,
    keys: [...asked.groups, ...asked.aggregates].map(({ key }) => key),
    compile: (list, settings) => {
      const { page } = list.permitted
      if (page === null || page.by === 'cursor')
        throw malformed(['pagination'], 'Groups have no cursors: use page and pageSize')
      const { start, limit, withCount } = page
      const groups = asked.groups.map((group, at) => placeGroup(group, orderAt(list, at)))
      const aggregates = asked.aggregates.map((one, at) =>
        placeAggregate(one, orderAt(list, groups.length + at)),
      )
      const placed = { ...asked, groups, aggregates, minGroup: minGroupOf(grants), start, limit }
      const statements = groupStatements(settings, list, placed)
      const shown = rowReader(settings, placed)
      const read = async (run: Run): Promise<object> => {
        const rows = await run(statements.page)
        const [first] = rows.length === 0 && start > 0 ? await run(statements.total) : rows
        const total = withCount === false ? null : Number(first?.at(-1) ?? 0)
        return { data: rows.map(shown), meta: { pagination: pagination(page, { total, edges: null }) } }
      }
      return Object.assign(read, { runsOneStatement: start === 0 })
    },
  }
}

const mostValues = 20

/** Plans `meta.facets` beside a list; null without facets. */
export function planFacets(raw: RawObject, { grants }: ReadingRequest): PlannedReading | null {
  if (raw['facets'] === undefined) return null
  if (grants.length === 0) throw forbidden()
  const { facets: asked, ...query } = raw
  const facets = readGroups(asked, 'facets')
  return {
    query,
    keys: facets.map(({ key }) => key),
    compile: (list, settings) => {
      const sort = [{ name: 'count', direction: 'desc' }] as const
      const all = { counts: true, aggregates: [], having: {}, sort, minGroup: minGroupOf(grants) }
      const statements = facets.map((facet, at) => {
        const group = placeGroup(facet, orderAt(list, at))
        const { page } = groupStatements(settings, list, {
          ...all,
          groups: [group],
          start: 0,
          limit: mostValues,
        })
        return { name: facet.name, read: readerOfGroup(settings, group), page }
      })
      return async (run) => {
        const reading = statements.map(async ({ name, read, page }) => {
          const rows = await run(page)
          return [
            name,
            rows.map(([value, count]) => ({ value: read(value), count: integerIn(count, false) })),
          ] as const
        })
        return { facets: Object.fromEntries(await Promise.all(reading)) }
      }
    },
  }
}
