import type { BarChart, Tone } from './bar-chart'
import type { BusyResults, BusySide } from './results'

interface SideTitle {
  readonly chart: string
  readonly table: string
  readonly tone: Tone
}

export const busySides: Readonly<Record<string, SideTitle>> = {
  strapi: { chart: 'Strapi 5.54', table: 'Strapi 5.54', tone: 'grey' },
  'no cache': { chart: 'router, no cache', table: 'no cache', tone: 'orange' },
  cache: { chart: 'router, cache: {}', table: '`cache: {}`', tone: 'blue' },
  feed: { chart: 'router, with the feed', table: '`changes({ feed: true })`', tone: 'blue' },
  'no check': { chart: 'router, no check', table: 'no check', tone: 'blue' },
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const thousands = (value: number): string => Math.round(value).toLocaleString('en')

/** `loads` and `sides`: only these, in the order of the results. */
export interface BusyChoice {
  readonly name: string
  readonly loads?: readonly string[]
  readonly sides?: readonly string[]
}

/** A group for each load, a bar for each side. */
export function makeBusyChart(results: BusyResults, { name, loads, sides }: BusyChoice): BarChart {
  const groups = results.loads
    .filter(({ load }) => loads?.includes(load) ?? true)
    .map(({ load, sides: measured }) => ({
      title: capitalize(load),
      bars: measured
        .filter(({ side }) => sides?.includes(side) ?? true)
        .map(({ side, perSecond }: BusySide) => ({
          label: busySides[side]?.chart ?? side,
          value: perSecond,
          text: thousands(perSecond),
          tone: busySides[side]?.tone ?? 'blue',
        })),
    }))
  return {
    name,
    title: 'Requests per second on a database in use',
    note: '500 different requests in random order, PostgreSQL; longer is better',
    groups,
  }
}
