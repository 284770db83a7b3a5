// Charts of results. `charts.ts results.json …` writes an SVG for each comparison beside the file.
// Without a file, it writes the charts and the tables of the docs from `published/`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderBarChart } from './charts/bar-chart'
import { makeBusyChart } from './charts/busy-chart'
import { publishedCharts, withResultTables, withShortTable } from './charts/published'
import { makeRatioChart, othersIn } from './charts/ratio-charts'
import { readResults } from './charts/results'

const root = join(__dirname, '..', '..')

function write(file: string, text: string): void {
  writeFileSync(file, text)
  process.stdout.write(`${file}\n`)
}

function rewrite(name: string, change: (text: string) => string): void {
  const file = join(root, name)
  write(file, change(readFileSync(file, 'utf8')))
}

function writeChartsOf(file: string): void {
  const results = readResults(file)
  const charts =
    'loads' in results
      ? [makeBusyChart(results, { name: 'busy' })]
      : othersIn(results).map((side) => makeRatioChart(results, side))
  for (const chart of charts.filter(({ groups }) => groups.length > 0))
    write(file.replace(/(\.json)?$/, `-${chart.name}.svg`), renderBarChart(chart))
}

function publish(): void {
  for (const [name, text] of publishedCharts())
    write(join(root, 'docs', 'pictures', `benchmark-${name}.svg`), text)
  rewrite('docs/contributing/benchmarks.md', withResultTables)
  rewrite('README.md', withShortTable)
}

const files = process.argv.slice(2)
if (files.length === 0) publish()
for (const file of files) writeChartsOf(file)
