import { type DraftRule, grantedTo, isBound } from '../../lib/access'
import { type Action, actions, type PermissionTable, type Rule } from '../../lib/config'
import type { Model, Schema } from '../../lib/schema'

const wordOf = (granted: boolean | Rule): string => {
  if (typeof granted === 'boolean') return granted ? 'all' : '-'
  return [
    ...('where' in granted ? [`where ${JSON.stringify(granted.where)}`] : []),
    ...('fields' in granted ? [`fields ${granted.fields.join(', ')}`] : []),
  ].join(', ')
}

type TableLine = readonly [type: string, ...cells: string[]]

export interface RoleTable {
  readonly table: PermissionTable
  readonly role: string
  readonly drafts: DraftRule
}

function cellOf({ table, role, drafts }: RoleTable, model: Model, action: Action): string {
  const granted = grantedTo(table, role, model, action)
  const isOpen = action === 'drafts' && drafts === 'open' && model.draftAndPublish
  if (isOpen && granted === false && grantedTo(table, role, model, 'find') !== false) return 'as find'
  return wordOf(granted)
}

function rowsOf(schema: Schema, asked: RoleTable): readonly TableLine[] {
  // Components are read as parts of entries, and need no grant.
  const models = [...schema.models.values()].filter(({ kind }) => kind !== 'component')
  return models.map((model): TableLine => [
    model.uid,
    ...actions.map((action) => cellOf(asked, model, action)),
  ])
}

/** For each type, the entries that a role may list, those that it may read one by one, and the drafts. */
export function roleTable(schema: Schema, asked: RoleTable): string {
  const { table, role } = asked
  const granted = rowsOf(schema, asked).filter(([, ...cells]) => cells.some((cell) => cell !== '-'))
  if (granted.length === 0) return `The role ${role} has no permissions.`
  const rows: readonly TableLine[] = [['type', ...actions], ...granted]
  const widths = ['type', ...actions].map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [
    `The role ${role} may see${isBound(table, role) ? ', with named queries only' : ''}:`,
    ...lines.map((line) => `  ${line}`),
  ].join('\n')
}
