import type { Fault } from '../errors'
import { didYouMean } from '../schema'
import type { Change } from './compare'
import { quoteFor, type StatementTarget } from './statements'
import type { TableLayout } from './column-declaration'

/** The names of the tables that `migrate` created or adopted. */
export const ledger = 'content_router_tables'

interface LedgerEntries {
  readonly changes: readonly Change[]
  /** Null if there is no ledger yet. */
  readonly known: readonly string[] | null
  readonly adopt: readonly string[]
}

/** Names come before their tables: MySQL cannot do both or neither, and an unknown table would not be completed. */
export function ledgerStatements(
  { dialect, tableOptions }: StatementTarget,
  { changes, known, adopt }: LedgerEntries,
): readonly string[] {
  const quote = quoteFor(dialect)
  const created = changes.flatMap((change) => (change.kind === 'table' ? change.layout.table : []))
  const names = [...created, ...adopt].filter((name) => known?.includes(name) !== true)
  if (names.length === 0) return []
  const rows = [...new Set(names)].map((name) => `('${name.replaceAll("'", "''")}')`)
  const name = quote('name')
  return [
    ...(known === null
      ? [`create table ${quote(ledger)} (${name} varchar(255) not null primary key)${tableOptions}`]
      : []),
    `insert into ${quote(ledger)} (${name}) values ${rows.join(', ')}`,
  ]
}

/** Tables that others created, if they would need a change. */
export function foreignTables(changes: readonly Change[], own: readonly string[]): readonly Fault[] {
  const foreign = changes.flatMap((change) =>
    change.kind === 'table' || own.includes(change.table) ? [] : [change],
  )
  return [...new Set(foreign.map(({ table }) => table))].map((table) => {
    const added = foreign.flatMap((change) => {
      if (change.table !== table) return []
      return change.kind === 'column' ? `column ${change.column.column}` : `index ${change.index.name}`
    })
    return {
      where: table,
      problem: `migrate did not create this table, and the definitions need more of it: ${added.join(', ')}`,
      remedy: `give the type another collectionName, or let migrate extend this table: --adopt ${table}`,
    }
  })
}

/** Names to adopt that are no table of the definitions. */
export function unknownAdopted(adopt: readonly string[], wanted: readonly TableLayout[]): readonly Fault[] {
  const names = wanted.map(({ table }) => table)
  return adopt
    .filter((name) => !names.includes(name))
    .map((name) => ({
      where: `--adopt ${name}`,
      problem: 'the definitions have no such table',
      remedy: name.includes(',') ? 'write --adopt once for each table' : didYouMean(name, names),
    }))
}
