import { type DraftRule, grantedTo, isBound } from '../../lib/access'
import { type Action, actions, type PermissionTable, type Rule } from '../../lib/config'
import type { Model, Schema } from '../../lib/schema'
import { inColumns } from './output'

const wordOf = (granted: boolean | Rule): string => {
  if (typeof granted === 'boolean') return granted ? 'all' : '-'
  return [
    ...('where' in granted ? [`where ${JSON.stringify(granted.where)}`] : []),
    ...('fields' in granted ? [`fields ${granted.fields.join(', ')}`] : []),
  ].join(', ')
}

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

/** A table of the grants of a role: `find`, `findOne` and `drafts` for each type. */
export function roleTable(schema: Schema, asked: RoleTable): string {
  const { table, role } = asked
  // Components are read as parts of entries, and need no grant.
  const models = [...schema.models.values()].filter(({ kind }) => kind !== 'component')
  const granted = models
    .map((model) => [model.uid, ...actions.map((action) => cellOf(asked, model, action))])
    .filter(([, ...cells]) => cells.some((cell) => cell !== '-'))
  if (granted.length === 0) return `The role ${role} has no permissions.`
  return [
    `The role ${role} can read${isBound(table, role) ? ', with named queries only' : ''}:`,
    ...inColumns([['type', ...actions], ...granted]),
  ].join('\n')
}
