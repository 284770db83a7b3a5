import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Choice } from './controls'
import { type Entry, isEntry } from './entry'
import { plainText } from './plain-text'

/** A group with its results. `sum.fee` is the result of a function. */
export interface GroupRow {
  readonly group: Entry
  readonly results: Entry
}

/** Null unless each entry is a group. */
export function groupsIn(entries: readonly Entry[]): readonly GroupRow[] | null {
  const rows = entries.flatMap(({ group, ...functions }): GroupRow[] => {
    if (!isEntry(group)) return []
    const results = Object.entries(functions).flatMap(([name, value]) =>
      isEntry(value)
        ? Object.entries(value).map(([attribute, one]) => [`${name}.${attribute}`, one] as const)
        : [[name, value] as const],
    )
    return [{ group, results: Object.fromEntries(results) }]
  })
  return rows.length === entries.length && rows.length > 0 ? rows : null
}

/** Large integers are strings. */
const numberIn = (value: unknown): number | null =>
  value === null || value === undefined || value === '' || Number.isNaN(Number(value)) ? null : Number(value)

/** Results that are numbers in all groups, as dates and texts have no bars. */
export function drawnResults(rows: readonly GroupRow[]): readonly string[] {
  const names = Object.keys(rows[0]?.results ?? {})
  return names.filter((name) =>
    rows.every(({ results }) => results[name] === null || numberIn(results[name]) !== null),
  )
}

const nameOf = ({ group }: GroupRow): string => {
  const values = Object.values(group).map((value) => (value === null ? 'null' : plainText(value)))
  return values.length === 0 ? 'all' : values.join(' · ')
}

interface Point {
  readonly day: string
  readonly value: number
}

/** Points by date if the only group is a part of a date; null for other groups. */
function pointsIn(rows: readonly GroupRow[], shown: string): readonly Point[] | null {
  const [by = '', ...others] = Object.keys(rows[0]?.group ?? {})
  if (others.length > 0 || !by.includes(':')) return null
  const points = rows.flatMap(({ group, results }): Point[] => {
    const value = numberIn(results[shown])
    return typeof group[by] === 'string' && value !== null ? [{ day: group[by], value }] : []
  })
  return points.length < 2 ? null : points.sort((one, other) => (one.day < other.day ? -1 : 1))
}

const size = { width: 300, height: 100 }

function Line({ points, shown }: { points: readonly Point[]; shown: string }): ComponentChildren {
  const days = points.map(({ day }) => Date.parse(day))
  const values = points.map(({ value }) => value)
  const [first, last] = [Math.min(...days), Math.max(...days)]
  const [lowest, highest] = [Math.min(0, ...values), Math.max(0, ...values)]
  const places = points.map(({ value }, at) => {
    const x = (((days[at] ?? 0) - first) / (last - first)) * size.width
    const y = size.height - ((value - lowest) / (highest - lowest || 1)) * size.height
    return `${x.toFixed(1)} ${y.toFixed(1)}`
  })
  const [from = '', to = ''] = [points[0]?.day, points.at(-1)?.day]
  return (
    <figure class="line">
      <figcaption class="about">{`${shown}, from ${String(lowest)} to ${String(highest)}`}</figcaption>
      <svg
        viewBox={`0 0 ${String(size.width)} ${String(size.height)}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${shown} by date from ${from} to ${to}; the table has the values`}
      >
        <path d={`M${places.join('L')}`} />
        <path class="points" d={places.map((place) => `M${place}h0`).join('')} />
      </svg>
      <div class="about">
        <span>{from}</span>
        <span>{to}</span>
      </div>
    </figure>
  )
}

/** A table with bars, and a line above it for parts of dates. */
export function GroupsChart({ rows }: { rows: readonly GroupRow[] }): ComponentChildren {
  const names = drawnResults(rows)
  const [chosen, setChosen] = useState('')
  const shown = names.includes(chosen) ? chosen : (names[0] ?? '')
  const points = pointsIn(rows, shown)
  const largest = Math.max(...rows.map(({ results }) => Math.abs(numberIn(results[shown]) ?? 0))) || 1
  return (
    <div class="chart">
      {names.length > 1 ? <Choice label="Function" value={shown} set={setChosen} names={names} /> : null}
      {points === null ? null : <Line points={points} shown={shown} />}
      <table aria-label={`${shown} by group`}>
        <thead>
          <tr>
            <th scope="col">{Object.keys(rows[0]?.group ?? {}).join(' · ') || 'group'}</th>
            <th scope="col">{shown}</th>
            <td aria-hidden="true" />
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => {
            const value = numberIn(row.results[shown])
            return (
              <tr key={at}>
                <th scope="row">{nameOf(row)}</th>
                <td class="number">{value === null ? 'null' : String(row.results[shown])}</td>
                <td class="wide-bar" aria-hidden="true">
                  <span
                    class={`bar${(value ?? 0) < 0 ? ' negative' : ''}`}
                    style={{ inlineSize: `${String((Math.abs(value ?? 0) / largest) * 100)}%` }}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
