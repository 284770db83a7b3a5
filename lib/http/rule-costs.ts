import { isFromDatabase, nothingKnown } from '../access'
import type { FilledOptions, Grant, PermissionTable } from '../config'
import type { Fault } from '../errors'
import { foretoldCost } from '../plan'
import { parseQuery } from '../query'
import { modelNamed, type Model, type Schema } from '../schema'
import { unknownSizes } from '../tables'
import { makeLimiting } from './limits'
import { triedPlan } from './try-query'
import { isPlainTable } from './wrong-permissions'

/** Rules by role, wherever they are written. What a function answers is known by request alone. */
function tableOf({ permissions }: FilledOptions): PermissionTable {
  if (typeof permissions === 'function') return {}
  if (!isFromDatabase(permissions)) return permissions
  return Object.fromEntries(
    Object.entries(permissions.rules ?? {}).map(([role, find]) => [role, { find, drafts: '*' }]),
  )
}

interface RuledType {
  readonly role: string
  readonly model: Model
}

const ruledTypes = (table: PermissionTable, schema: Schema): readonly RuledType[] =>
  Object.entries(table).flatMap(([role, { find, findOne, drafts }]) => {
    const rules = [find, findOne, drafts].flatMap((granted) =>
      isPlainTable(granted) ? Object.entries(granted) : [],
    )
    const named = rules.flatMap(([name, rule]) => (isPlainTable(rule) ? [modelNamed(schema, name)] : []))
    return [...new Set(named)].flatMap((model) => (model === undefined ? [] : [{ role, model }]))
  })

const statuses = ['', 'status=draft']

/** As one entry is found as well as many. */
const bothWays = ({ findOne, ...grant }: Grant): readonly Grant[] =>
  findOne === undefined ? [grant] : [grant, { ...grant, find: findOne }]

/** What asks for nothing besides. */
function faultsOfCost(options: FilledOptions, schema: Schema, { role, model }: RuledType): Fault[] {
  const identity = { kind: 'roles', roles: [role], asker: nothingKnown } as const
  const limits = makeLimiting(options)(identity)
  const costs = bothWays(tableOf(options)[role] ?? {}).flatMap((grant) =>
    statuses.map((text) => {
      const asking = { options, schema, model, permissions: { [role]: grant }, identity, limits }
      return foretoldCost(triedPlan(asking, parseQuery(text, limits.query)), unknownSizes.of)
    }),
  )
  const cost = Math.max(...costs)
  if (cost <= limits.maxCost) return []
  const where = limits.ofRole.has('maxCost') ? `limitsByRole.${role}.maxCost` : 'query.maxCost'
  const problem = `is less than the rules on ${model.uid} cost the role ${role} by themselves: whatever it asks there would be refused`
  return [{ where, problem, remedy: `use at least ${String(cost)}` }]
}

/** A limit that nothing can keep to is none that the host meant. */
export function faultsOfRuleCosts(options: FilledOptions, schema: Schema): readonly Fault[] {
  return ruledTypes(tableOf(options), schema).flatMap((ruled) => faultsOfCost(options, schema, ruled))
}
