import { grantedTo } from '../access'
import { type Action, actions, type PermissionTable, type Rule } from '../config'
import type { Model, Schema } from '../schema'

const wordOf = (granted: boolean | Rule): string => {
  if (typeof granted === 'boolean') return granted ? 'all' : '-'
  return [
    ...('where' in granted ? [`where ${JSON.stringify(granted.where)}`] : []),
    ...('fields' in granted ? [`fields ${granted.fields.join(', ')}`] : []),
  ].join(', ')
}

type TableLine = readonly [type: string, ...cells: string[]]

/** What is read as a part of something else needs no grant. */
const isGranted = ({ kind, open }: Model): boolean => kind !== 'component' && !open

function rowsOf(schema: Schema, table: PermissionTable, role: string): readonly TableLine[] {
  const cell = (model: Model, action: Action): string => wordOf(grantedTo(table, role, model, action))
  const models = [...schema.models.values()].filter(isGranted)
  return models.map((model): TableLine => [model.uid, ...actions.map((action) => cell(model, action))])
}

/** For each type which entries a role may list, which it may read by themselves, and whose drafts. */
export function roleTable(schema: Schema, table: PermissionTable, role: string): string {
  const granted = rowsOf(schema, table, role).filter(([, ...cells]) => cells.some((cell) => cell !== '-'))
  if (granted.length === 0) return `The role ${role} may see nothing.`
  const rows: readonly TableLine[] = [['type', ...actions], ...granted]
  const widths = ['type', ...actions].map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [`The role ${role} may see:`, ...lines.map((line) => `  ${line}`)].join('\n')
}
