import { type Metric, roundRatio } from '../measure/ratios'
import type { BarChart, BarGroup, Tone } from './bar-chart'
import { type Comparison, databaseTitles, ratioOf } from './results'

interface Other {
  readonly title: string
  /** Short, for the line at 1. */
  readonly line: string
  readonly metric: Metric
}

const others: Readonly<Record<string, Other>> = {
  strapi: { title: 'Throughput compared with Strapi 5.54', line: 'as Strapi', metric: 'perSecond' },
  knex: {
    title: 'Throughput compared with a Knex handler',
    line: 'as the Knex handler',
    metric: 'perSecond',
  },
  limit: { title: 'CPU compared with hand-written handlers', line: 'same CPU', metric: 'totalCpu' },
}

const notes: Partial<Readonly<Record<Metric, string>>> = {
  perSecond: 'Requests per second of the router ÷ the other; longer is better',
  totalCpu: 'CPU of the router and the database ÷ the other; shorter is better',
}

const requestTitles: Readonly<Record<string, string>> = {
  q1: 'Q1: a list of 25',
  q2: 'Q2: with four relations',
  q3: 'Q3: with seven relations and their parts',
  q4: 'Q4: populate=*',
  q5: 'Q5: a filter and a sort through relations',
  q6: 'Q6: page 400 of 800',
  q7: 'Q7: one author with 2,000 articles',
}

const databaseTones: Readonly<Record<string, Tone>> = { sqlite: 'grey', mariadb: 'orange', postgres: 'blue' }

/** Sides that the results compare with. */
export const othersIn = ({ ratios }: Comparison): readonly string[] => [
  ...new Set(ratios.flatMap((row) => Object.keys(row.ratios))),
]

/** A group for each request, a bar for each database. */
export function makeRatioChart(results: Comparison, side: string): BarChart {
  const { title, line, metric } = others[side] ?? {
    ...{ title: `Throughput compared with ${side}`, line: `as ${side}`, metric: 'perSecond' },
  }
  const requests = [...new Set(results.ratios.map(({ request }) => request))]
  const databases = [...new Set(results.ratios.map(({ database }) => database))]
  const groups = requests.map((request): BarGroup => ({
    title: requestTitles[request] ?? request,
    bars: databases.flatMap((database) => {
      const spread = ratioOf(results, [database, request, side, metric])
      if (spread === null) return []
      return {
        label: databaseTitles[database] ?? database,
        value: spread.median,
        text: roundRatio(spread.median),
        range: spread,
        tone: databaseTones[database] ?? 'blue',
      }
    }),
  }))
  return {
    ...{ name: side, title, note: notes[metric] ?? metric },
    groups: groups.filter(({ bars }) => bars.length > 0),
    reference: { value: 1, label: line },
  }
}
