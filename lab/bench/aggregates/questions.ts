import type { FilledDatabase } from '../measured-databases'
import type { Row } from '../limit/database'

/** An aggregate of the router, and the SQL that a developer writes for the same response. */
export interface Question {
  readonly title: string
  /** Parameters of `GET /api/orders/aggregate`. */
  readonly query: string
  readonly pageSize: number
  /** `?` marks the value of the filter. */
  readonly sql: (name: FilledDatabase) => string
  readonly value?: string
  readonly group: string
  /** The columns behind the group. A last column more is the number of all groups. */
  readonly shown: readonly ('count' | 'sum')[]
}

const monthOf: Readonly<Record<FilledDatabase, string>> = {
  sqlite: `strftime('%Y-%m-01', placed_at)`,
  mariadb: `date_format(placed_at, '%Y-%m-01')`,
  mysql: `date_format(placed_at, '%Y-%m-01')`,
  postgres: `to_char(date_trunc('month', placed_at), 'YYYY-MM-DD')`,
}

/** SQLite adds decimals as doubles. Without rounding, 3,000.00 may be less than 3,000, and equal sums have any order. */
const revenue: Readonly<Record<FilledDatabase, string>> = {
  sqlite: 'round(sum(o.total), 2)',
  mariadb: 'sum(o.total)',
  mysql: 'sum(o.total)',
  postgres: 'sum(o.total)',
}

const withCustomer = 'shop_order o left join shop_customer c on c.id = o.customer_id'

const openByTag =
  (count: string) =>
  (name: FilledDatabase): string =>
    `select t.name, ${count} from shop_order o left join shop_order_tag ot on ot.order_id = o.id
      left join shop_tag t on t.id = ot.tag_id where o.state = ?
      group by t.name order by t.name${name === 'postgres' ? ' nulls first' : ''}`

export const questions: readonly Question[] = [
  {
    title: 'count and revenue by state',
    query: 'groupBy=state&aggregate[count]=true&aggregate[sum]=total',
    pageSize: 100,
    sql: () => 'select state, count(*), sum(total) from shop_order group by state order by state',
    group: 'state',
    shown: ['count', 'sum'],
  },
  {
    title: 'count by month',
    query: 'groupBy=placedAt:month&aggregate[count]=true',
    pageSize: 100,
    sql: (name) => `select ${monthOf[name]} as month, count(*) from shop_order group by 1 order by 1`,
    group: 'placedAt:month',
    shown: ['count'],
  },
  {
    title: 'revenue by country of the customer',
    query: 'groupBy=customer.country.name&aggregate[sum]=total',
    pageSize: 100,
    sql: (name) =>
      `select l.name, sum(o.total) from ${withCustomer} left join shop_country l on l.id = c.country_id
        group by l.name order by l.name${name === 'postgres' ? ' nulls first' : ''}`,
    group: 'customer.country.name',
    shown: ['sum'],
  },
  {
    title: 'ten best customers of those with 3,000',
    query:
      'groupBy=customer.name&aggregate[count]=true&aggregate[sum]=total&having[sum][total][$gte]=3000&sort=sum.total:desc',
    pageSize: 10,
    sql: (name) =>
      `select c.name, count(*), ${revenue[name]}, count(*) over () from ${withCustomer}
        group by c.name having ${revenue[name]} >= 3000 order by ${revenue[name]} desc, c.name limit 10`,
    group: 'customer.name',
    shown: ['count', 'sum'],
  },
  {
    title: 'open orders by tag',
    query: 'filters[state]=open&groupBy=tags.name&aggregate[count]=true',
    pageSize: 100,
    sql: openByTag('count(distinct o.id)'),
    value: 'open',
    group: 'tags.name',
    shown: ['count'],
  },
  {
    title: 'open orders by tag, compared with count(*), which counts an order for each tag of a name',
    query: 'filters[state]=open&groupBy=tags.name&aggregate[count]=true',
    pageSize: 100,
    sql: openByTag('count(*)'),
    value: 'open',
    group: 'tags.name',
    shown: ['count'],
  },
]

/** The response of the router, made of the rows. */
export function bodyOf({ group, shown, pageSize }: Question, rows: readonly Row[]): object {
  const number = (value: unknown): number => Number(Number(value).toPrecision(15))
  const data = rows.map((row) => {
    const values = shown.map((of, at) => [of, number(row[at + 1])] as const)
    return {
      group: { [group]: row[0] },
      ...Object.fromEntries(values.map(([of, value]) => [of, of === 'count' ? value : { total: value }])),
    }
  })
  const counted = rows[0]?.[shown.length + 1]
  const total = counted === undefined ? rows.length : Number(counted)
  const pagination = { page: 1, pageSize, pageCount: Math.ceil(total / pageSize), total }
  return { data, meta: { pagination } }
}
