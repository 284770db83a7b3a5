import { uncountedServer } from '../../lib/freshness/uncounted-server'

/** As public sources have them; none of these servers runs here. */
const told: readonly (readonly [product: string, word: string])[] = [
  // The welcome of `cockroach sql`, www.cockroachlabs.com/docs/stable/cockroach-sql
  ['CockroachDB', 'CockroachDB CCL v21.1.1 (x86_64-apple-darwin19, built 2021/05/24 15:00:00, go1.15.11)'],
  // `select version()` before and after its change to PostgreSQL 15, github.com/yugabyte/yugabyte-db
  [
    'YugabyteDB',
    'PostgreSQL 11.2-YB-2.21.0.1-b0 on x86_64-pc-linux-gnu, compiled by clang version 16.0.6, 64-bit',
  ],
  ['YugabyteDB', 'PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu'],
  // The name of its extension, docs.citusdata.com
  ['Citus', 'citus'],
  // `select version()`, docs.pingcap.com/tidb/stable/information-functions
  ['TiDB', '8.0.11-TiDB-v7.5.1'],
  ['TiDB', '5.7.25-TiDB-v6.1.0'],
  // The default of `mysql_server_version`, vitess.io/docs/reference/programs; before it, github.com/vitessio/vitess/pull/7337
  ['Vitess', '8.0.30-Vitess'],
  ['Vitess', '5.7.9-vitess-10.0.0-SNAPSHOT'],
  // A function of its PostgreSQL and a variable of its MySQL, docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide
  ['Aurora', 'aurora_version'],
]

describe('a server that does not tell of all commits', () => {
  it.each(told)('is known for %s by %s', (product, word) => {
    expect(uncountedServer(['read_only', word, 'OFF'])).toBe(product)
  })

  it.each([
    'PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14+deb12u1) 12.2.0, 64-bit',
    '10.11.14-MariaDB-0+deb12u2',
    '8.0.36-28',
    '9.7.4',
  ])('is not seen in %s', (word) => {
    expect(uncountedServer(['version', word])).toBeNull()
  })
})
