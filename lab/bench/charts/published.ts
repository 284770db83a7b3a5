import { join } from 'node:path'
import { type Metric, showSpread } from '../measure/ratios'
import { type BarChart, renderBarChart } from './bar-chart'
import { busySides, makeBusyChart, thousands } from './busy-chart'
import { renderTable, replaceTable } from './markdown-table'
import { makeRatioChart } from './ratio-charts'
import { type BusyResults, type Comparison, databaseTitles, ratioOf, readResults } from './results'

const folder = join(__dirname, '..', 'published')

const comparisonWith = (side: string): Comparison => readResults(join(folder, `${side}.json`)) as Comparison

const busy = (): BusyResults => readResults(join(folder, 'busy.json')) as BusyResults

const databases = ['sqlite', 'mariadb', 'postgres'] as const
const databaseHead = databases.map((database) => databaseTitles[database] ?? '')

/** A row of a table: its label, the request and the metric. */
type Row = readonly [label: string, request: string, metric: Metric]

const rowsOf: Readonly<Record<string, readonly Row[]>> = {
  limit: [
    ['Q1, Node, database', 'q1', 'totalCpu'],
    ['Q2', 'q2', 'totalCpu'],
    ['Q3', 'q3', 'totalCpu'],
    ['Q4', 'q4', 'totalCpu'],
    ['Q5', 'q5', 'totalCpu'],
    ['Q3, Node alone', 'q3', 'nodeCpu'],
    ['Q3, database alone', 'q3', 'databaseCpu'],
  ],
  knex: [
    ['Q1', 'q1', 'perSecond'],
    ['Q2', 'q2', 'perSecond'],
    ['Q3', 'q3', 'perSecond'],
    ['Q5', 'q5', 'perSecond'],
  ],
  strapi: [
    ['Q1, requests/s', 'q1', 'perSecond'],
    ['Q3', 'q3', 'perSecond'],
    ['Q4', 'q4', 'perSecond'],
    ['Q1, CPU Node', 'q1', 'nodeCpu'],
    ['Q3, CPU Node', 'q3', 'nodeCpu'],
    ['Q4, CPU Node', 'q4', 'nodeCpu'],
  ],
}

function ratioTable(side: string): string {
  const results = comparisonWith(side)
  const rows = (rowsOf[side] ?? []).map(([label, request, metric]) => [
    label,
    ...databases.map((database) => showSpread(ratioOf(results, [database, request, side, metric]))),
  ])
  return renderTable(['', ...databaseHead], rows)
}

const identityLink = '[`replica identity full`](../how-to/cache-on-a-busy-database.md#updates-of-other-rows)'

/** Labels of rows that are shorter or have a link. */
const loadLabels: Readonly<Record<string, string>> = {
  'one commit a second to the requested type, replica identity full': `the same, with ${identityLink}`,
  '10 commits a second to one article, replica identity full': 'the same, with `replica identity full`',
}

function busyTable(): string {
  const { loads } = busy()
  const head = loads[0]?.sides.map(({ side }) => busySides[side]?.table ?? side) ?? []
  const rows = loads.map(({ load, sides }) => [
    loadLabels[load] ?? load,
    ...sides.map(({ perSecond, hits }) =>
      hits === undefined ? thousands(perSecond) : `${thousands(perSecond)} (${(100 * hits).toFixed(0)} %)`,
    ),
  ])
  return renderTable(['', ...head], rows)
}

const shortRows = [
  ['a handler with Knex, list of 25', 'knex', 'q1'],
  ['a handler with Knex, with 7 relations', 'knex', 'q3'],
  ['Strapi 5.54, list of 25', 'strapi', 'q1'],
  ['Strapi 5.54, with 7 relations', 'strapi', 'q3'],
] as const

/** `toFixed` alone rounds 4.05 to 4.0. */
const toTenths = (value: number): string => (Math.round(10 * value) / 10).toFixed(1)

function shortTable(): string {
  const rows = shortRows.map(([label, side, request]) => [
    label,
    ...databases.map((database) => {
      const spread = ratioOf(comparisonWith(side), [database, request, side, 'perSecond'])
      return spread === null ? '–' : toTenths(spread.median)
    }),
  ])
  return renderTable(['compared with, request', ...databaseHead], rows)
}

const readmeChart = {
  name: 'busy-short',
  loads: ['a still database', 'one commit a second to the requested type'],
  sides: ['strapi', 'no cache', 'cache', 'feed'],
} as const

/** Texts of `docs/pictures/benchmark-<name>.svg`. */
export function publishedCharts(): ReadonlyMap<string, string> {
  const charts: readonly BarChart[] = [
    ...Object.keys(rowsOf).map((side) => makeRatioChart(comparisonWith(side), side)),
    makeBusyChart(busy(), { name: 'busy' }),
    makeBusyChart(busy(), readmeChart),
  ]
  return new Map(charts.map((chart) => [chart.name, renderBarChart(chart)]))
}

/** `docs/contributing/benchmarks.md` with the tables of the published results. */
export function withResultTables(page: string): string {
  const withRatios = Object.keys(rowsOf).reduce(
    (text, side) => replaceTable(text, `benchmark-${side}.svg`, ratioTable(side)),
    page,
  )
  return replaceTable(withRatios, 'benchmark-busy.svg', busyTable())
}

/** `README.md` with the table of the published results. */
export const withShortTable = (readme: string): string =>
  replaceTable(readme, '\n## Benchmarks\n', shortTable())
