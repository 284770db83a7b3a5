import { locales, media, roles } from '../../migrations'
import type { Fault } from '../errors'
import { keeperOf, remedies } from './keeper'
import type { ActualTables } from './read-tables'

/** A table that no definition names, and that is asked to tell who may read what. */
export interface AskedTable {
  readonly table: string
  readonly columns: readonly string[]
  /** What asks it: `fromDatabase()`. */
  readonly by: string
  /** What the options may say for it not to be asked. */
  readonly instead: string
  /** The router does without a table or column that does not exist, but not without the right to read it. */
  readonly isOptional?: true
}

const made = new Set([...media, ...locales, ...roles].map(({ table }) => table))

/** What it takes to have the table: `migrate` makes some of those that Strapi has, and not those of its tokens. */
function remedyOf({ table, instead }: AskedTable, actual: ActualTables): string {
  const keeper = keeperOf(actual)
  const isStrapis = keeper === 'us' && !made.has(table)
  return `${isStrapis ? 'let Strapi 5 start on this database, which makes it' : remedies[keeper]}, or ${instead}`
}

export function faultsOfAsked(asked: AskedTable, actual: ActualTables): readonly Fault[] {
  const { table, columns, by, isOptional } = asked
  if (isOptional === true) return []
  const remedy = remedyOf(asked, actual)
  const found = actual.get(table)
  if (found === undefined) return [{ where: table, problem: `the table that ${by} reads is missing`, remedy }]
  return columns
    .filter((column) => !found.columns.has(column))
    .map((column) => ({
      where: `${table}.${column}`,
      problem: `the column that ${by} reads is missing`,
      remedy,
    }))
}
