import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Mutant } from './places'
import type { Stage } from './suite'

export interface SpecRun {
  readonly seconds: number
  readonly passed: boolean
  /** Ids of mutants. */
  readonly reached: readonly string[]
}

export interface Verdict {
  /** A spec file whose failure was seen twice or beside another's, or that hung. `null`: survived. */
  readonly killedBy: string | null
  /** The message of the failure. */
  readonly why: string
  /** Spec files that reached the place, and those of them that the budget allowed. */
  readonly reachedBy: number
  readonly allowed: number
  readonly seconds: number
}

export interface Results {
  readonly mutants: readonly Mutant[]
  readonly recorded: Partial<Record<Stage, Record<string, SpecRun>>>
  /** By id. */
  readonly verdicts: Record<Stage, Record<string, Verdict>>
}

export function openResults(file: string, mutants: readonly Mutant[]): Results {
  if (!existsSync(file)) return { mutants, recorded: {}, verdicts: { sqlite: {}, others: {} } }
  const results = JSON.parse(readFileSync(file, 'utf8')) as Results
  const [before, now] = [results.mutants, mutants].map((some) => some.map(({ id }) => id).join())
  if (before !== now) throw new Error(`${file} has other mutants: name another file in --out`)
  return results
}

export function saveResults(file: string, results: Results): void {
  writeFileSync(`${file}.new`, JSON.stringify(results, null, 1))
  renameSync(`${file}.new`, file)
}

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`

function outcomeOf({ verdicts }: Results, id: string): 'sqlite' | 'others' | 'survived' | 'open' {
  const { [id]: first } = verdicts.sqlite
  const { [id]: second } = verdicts.others
  if (first === undefined) return 'open'
  if (first.killedBy !== null) return 'sqlite'
  if (second === undefined) return 'open'
  return second.killedBy === null ? 'survived' : 'others'
}

function survivorLine(results: Results, { number, id, file, line, change }: Mutant): string {
  const { sqlite, others } = results.verdicts
  const [first, second] = [sqlite[id], others[id]]
  const reached = (first?.reachedBy ?? 0) + (second?.reachedBy ?? 0)
  const ran = (first?.allowed ?? 0) + (second?.allowed ?? 0)
  const why = reached === 0 ? 'not reached' : `${String(ran)} of ${String(reached)} spec files ran`
  return `- ${String(number)} ${file}:${String(line)} ${change} (${why})\n`
}

/** By room, then a line for each survivor. */
export function renderTable(results: Results): string {
  const { mutants } = results
  const rooms = [...new Set(mutants.map(({ room }) => room))]
  const countsOf = (some: Results['mutants']): readonly number[] => {
    const outcomes = some.map(({ id }) => outcomeOf(results, id))
    const count = (wanted: string): number => outcomes.filter((outcome) => outcome === wanted).length
    return [some.length, count('sqlite'), count('others'), count('survived'), count('open')]
  }
  return [
    row(['room', 'mutants', 'killed on SQLite', 'killed only on another database', 'survived', 'open']),
    row(['---', '--:', '--:', '--:', '--:', '--:']),
    ...rooms.map((room) => row([room, ...countsOf(mutants.filter((mutant) => mutant.room === room))])),
    row(['all', ...countsOf(mutants)]),
    '\nSurvivors:\n\n',
    ...mutants
      .filter(({ id }) => outcomeOf(results, id) === 'survived')
      .map((mutant) => survivorLine(results, mutant)),
  ].join('')
}
