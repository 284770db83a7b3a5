import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BarChart, palettes, renderBarChart, scaleEndOf, tones } from '../../lab/bench/charts/bar-chart'
import { publishedCharts, withResultTables, withShortTable } from '../../lab/bench/charts/published'
import { makeRatioChart, othersIn } from '../../lab/bench/charts/ratio-charts'
import type { BusyResults, Comparison } from '../../lab/bench/charts/results'

const root = join(__dirname, '..', '..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const published = (name: string): unknown => JSON.parse(read(`lab/bench/published/${name}.json`))
const comparisonWith = (side: string): Comparison => published(side) as Comparison
const busy = published('busy') as BusyResults

const page = read('docs/contributing/benchmarks.md')
const readme = read('README.md')
const chartOf = (name: string): string => read(`docs/pictures/benchmark-${name}.svg`)
const compared = ['limit', 'knex', 'strapi'] as const

/** The cells of the first table after a text. */
function rowsAfter(text: string, after: string): readonly (readonly string[])[] {
  const [table = ''] = /^(?:\|.*\n)+/m.exec(text.slice(text.indexOf(after))) ?? []
  return table
    .trim()
    .split('\n')
    .filter((_, at) => at !== 1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const numbersIn = (text: string): readonly number[] =>
  [...text.replaceAll(',', '').matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => Number(number))

/** Each median of the results, with its range. */
const spreadsOf = (side: string): readonly (readonly number[])[] =>
  comparisonWith(side).ratios.flatMap(({ ratios }) =>
    Object.values(ratios[side] ?? {}).flatMap((spread) =>
      spread === null ? [] : [[spread.median, spread.min, spread.max]],
    ),
  )

const sorted = (lists: readonly (readonly number[])[]): readonly string[] =>
  lists.map((list) => list.join(' ')).toSorted()

describe('docs/contributing/benchmarks.md', () => {
  it.each(compared)('has each figure of the comparison with %s in its table, and no other', (side) => {
    const [, ...rows] = rowsAfter(page, `benchmark-${side}.svg`)
    const cells = rows.flatMap(([, ...cells]) => cells).filter((cell) => cell !== '–')
    expect(sorted(cells.map(numbersIn))).toEqual(sorted(spreadsOf(side)))
  })

  it('has each figure of a database in use in its table', () => {
    const [, ...rows] = rowsAfter(page, 'benchmark-busy.svg')
    const shown = rows.map(([, ...cells]) => cells.map(numbersIn))
    const { loads } = busy
    const measured = loads.map(({ sides }) =>
      sides.map(({ perSecond, hits }) =>
        hits === undefined ? [perSecond] : [perSecond, Math.round(100 * hits)],
      ),
    )
    expect(shown).toEqual(measured)
  })

  it('has the tables and charts that `npm run bench:charts` writes', () => {
    expect(withResultTables(page)).toBe(page)
    expect(withShortTable(readme)).toBe(readme)
    for (const [name, text] of publishedCharts()) expect(chartOf(name)).toBe(text)
  })

  it('shows each chart, here or in the README', () => {
    const shown = [...`${page}${readme}`.matchAll(/benchmark-([\w-]+)\.svg\)/g)].map(([, name]) => name)
    expect(shown.toSorted()).toEqual([...publishedCharts().keys()].toSorted())
  })
})

describe('the benchmarks of the README', () => {
  it('are those of the published results, rounded', () => {
    const [, ...rows] = rowsAfter(readme, '\n## Benchmarks\n')
    const shown = rows.map(([label, ...cells]) => [label, ...cells.map(Number)])
    const medianOf = (side: string, request: string): readonly number[] =>
      comparisonWith(side)
        .ratios.filter((row) => row.request === request)
        .map(({ ratios }) => Math.round(10 * (ratios[side]?.perSecond?.median ?? NaN)) / 10)
    expect(shown).toEqual([
      ['a handler with Knex, list of 25', ...medianOf('knex', 'q1')],
      ['a handler with Knex, with 7 relations', ...medianOf('knex', 'q3')],
      ['Strapi 5.54, list of 25', ...medianOf('strapi', 'q1')],
      ['Strapi 5.54, with 7 relations', ...medianOf('strapi', 'q3')],
    ])
  })

  it('name the throughput on a still database', () => {
    const [still] = busy.loads
    const perSecond = (name: string): string =>
      String(still?.sides.find(({ side }) => side === name)?.perSecond)
    expect(readme).toMatch(
      new RegExp(
        `router serves ${perSecond('no cache')} requests per second\\.\\s+Strapi serves ${perSecond('strapi')} requests per second\\.`,
      ),
    )
  })
})

interface DrawnBar {
  readonly width: number
  /** The value beside it. */
  readonly text: string
}

/** The bars, each with the text that starts at its height. */
function barsOf(svg: string): readonly DrawnBar[] {
  const bars = [...svg.matchAll(/<rect class="(?!ground)\w+" x="[\d.]+" y="([\d.]+)" width="([\d.]+)"/g)]
  const texts = [...svg.matchAll(/<text x="[\d.]+" y="([\d.]+)">([^<]*)<\/text>/g)]
  return bars.map(([, top, width]) => {
    const beside = texts.find(([, y]) => Number(y) > Number(top) && Number(y) < Number(top) + 12)
    return { width: Number(width), text: beside?.[2] ?? '' }
  })
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

describe('a chart', () => {
  const chart: BarChart = {
    ...{ name: 'sample', title: 'Rain & wind', note: 'Millimeters; longer is better' },
    groups: [
      {
        title: 'May',
        bars: [
          { label: 'Bergen', value: 100, text: '100', tone: 'blue' },
          { label: 'Oslo', value: 50, text: '50', tone: 'orange', range: { min: 40, max: 60 } },
        ],
      },
    ],
    reference: { value: 75, label: 'as in Lima' },
  }

  it('has bars whose lengths are in proportion to their values', () => {
    const [bergen, oslo] = barsOf(renderBarChart(chart))
    expect([bergen?.text, oslo?.text]).toEqual(['100', '50'])
    expect((bergen?.width ?? 0) / (oslo?.width ?? 1)).toBeCloseTo(2, 2)
  })

  it.each(compared)(
    'of the comparison with %s has a bar in proportion for each median of its metric',
    (side) => {
      const results = comparisonWith(side)
      const metric = side === 'limit' ? 'totalCpu' : 'perSecond'
      const medians = results.ratios.flatMap(({ ratios }) => ratios[side]?.[metric]?.median ?? [])
      const end = scaleEndOf(makeRatioChart(results, side).groups)
      const bars = barsOf(chartOf(side))
      expect(bars.map(({ text }) => Number(text)).toSorted()).toEqual(medians.toSorted())
      const [{ width, text } = { width: 0, text: '' }] = bars
      for (const bar of bars)
        expect(bar.width).toBeCloseTo((width / Number(text)) * Math.min(Number(bar.text), end), 0)
    },
  )

  it('cuts a bar that is far longer than all others, and marks the cut', () => {
    const long = { label: 'Cherrapunji', value: 1000, text: '1000', tone: 'grey' } as const
    const [group] = chart.groups
    const groups = [{ title: 'May', bars: [...(group?.bars ?? []), long] }]
    expect(scaleEndOf(groups)).toBe(125)
    expect(renderBarChart({ ...chart, groups }).match(/class="cut"/g)).toHaveLength(1)
    expect(renderBarChart(chart)).not.toContain('class="cut"')
  })

  it('has a title and a description with all figures for screen readers', () => {
    const svg = renderBarChart(chart)
    expect(svg).toContain('role="img" aria-labelledby="sample-title sample-desc"')
    expect(svg).toContain('<title id="sample-title">Rain &amp; wind</title>')
    expect(svg).toContain(
      '<desc id="sample-desc">Millimeters; longer is better. May: Bergen 100, Oslo 50. A line marks 75: as in Lima.</desc>',
    )
  })

  it('can be read in light and dark', () => {
    expect(renderBarChart(chart)).toContain('@media (prefers-color-scheme:dark)')
    for (const palette of Object.values(palettes)) {
      expect(contrastOf(palette.ground, palette.text)).toBeGreaterThan(7)
      for (const tone of tones) expect(contrastOf(palette.ground, palette[tone])).toBeGreaterThan(4.5)
    }
  })

  it('compares with each side of the results of a run', () => {
    const spread = { min: 1, median: 2, max: 3 }
    const results: Comparison = {
      against: 'ours',
      ratios: [
        { database: 'sqlite', request: 'q1', ratios: { drizzle: { perSecond: spread }, memory: {} } },
        { database: 'mariadb', request: 'q1', ratios: { drizzle: { perSecond: null } } },
      ],
    }
    expect(othersIn(results)).toEqual(['drizzle', 'memory'])
    expect(makeRatioChart(results, 'memory').groups).toEqual([])
    expect(makeRatioChart(results, 'drizzle').groups).toMatchObject([
      { title: 'Q1: a list of 25', bars: [{ label: 'SQLite', value: 2, text: '2.00', range: spread }] },
    ])
  })
})
