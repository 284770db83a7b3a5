import {
  allShown,
  type Branch,
  type Condition,
  everything,
  type FaultBehindLink,
  type Level,
  type Removal,
  type Spend,
  standsAsPut,
  type Target,
  type Wildcards,
} from '../plan'
import { linkedTypes, type Uid } from '../schema'
import {
  bothOf,
  permitCondition,
  permitOrder,
  type PermittingOrders,
  type refusingWith,
} from './permit-condition'
import type { VisibleRows } from './visible-rows'

export interface Pruning extends PermittingOrders, VisibleRows {
  readonly refused: ReturnType<typeof refusingWith>
  /** Null if it is not needed: clients may name very many parts. */
  readonly tell: ((removal: Removal) => void) | null
  readonly spend: Spend
}

function permitTarget(target: Target<FaultBehindLink>, pruning: Pruning, above: string): Level<never> {
  const level = target.op === 'pending' ? target.level(pruning.spend) : target
  return permitLevel(level, pruning.linked(level.model), pruning, above)
}

function reportRemoval(
  uid: Uid,
  target: Target<FaultBehindLink>,
  path: string,
  missing: Removal['missing'],
  pruning: Pruning,
): void {
  const { tell, refused, linked, rulesOn, modelOf } = pruning
  if (tell === null) return
  const reason = refused(modelOf(uid))
  if (reason === null) {
    const rules = linked(modelOf(uid)) === everything ? null : rulesOn(modelOf(uid), 'linked')
    if (rules !== null) tell({ path, type: uid, reason: 'rows', missing: 'entries', rules })
    return
  }
  const rules: readonly string[] = []
  tell({ path, type: uid, reason, missing, rules })
  const names = target.op === 'pending' ? target.named() : []
  for (const name of names) tell({ path: `${path}.${name}`, type: null, reason: 'above', missing, rules })
}

/** Unreadable targets are left out, and only operators learn it. A field without readable targets is absent. */
function permitBranch(
  branch: Branch<FaultBehindLink>,
  pruning: Pruning,
  above: string,
): Branch<never> | null {
  const path = above + branch.field.name
  const kept = [...branch.targets].filter(([uid]) => pruning.readable(pruning.modelOf(uid)))
  const isGone = kept.length === 0 && branch.targets.size > 0
  for (const [uid, target] of branch.targets) {
    reportRemoval(uid, target, path, isGone ? 'attribute' : 'entries', pruning)
  }
  if (isGone) return null
  const linked = linkedTypes(branch.field)
  const targets = new Map<Uid, Level<never>>()
  for (const [uid, target] of kept) {
    if (!linked.includes(uid)) continue
    const permitted = permitTarget(target, pruning, `${path}.`)
    // The order of such a list is fixed, but its sort still needs rights.
    targets.set(uid, standsAsPut(branch.field) ? { ...permitted, order: [] } : permitted)
  }
  return { ...branch, targets }
}

/** A loop, because nested callbacks would take three times the stack per level. */
function permitBranches(
  level: Level<FaultBehindLink>,
  pruning: Pruning,
  above: string,
): readonly Branch<never>[] {
  const permitted: Branch<never>[] = []
  for (const branch of level.branches) {
    const own = permitBranch(branch, pruning, above)
    if (own !== null) permitted.push(own)
  }
  return permitted
}

const none: Wildcards = { fields: false, populate: false }

function reportUnshown(
  { model, wildcards: { fields, populate }, columns, branches }: Level<FaultBehindLink>,
  { tell, modelOf, rulesOn }: Pruning,
  above: string,
): void {
  const whole = modelOf(model.uid)
  if (tell === null || whole === model) return
  const rules = rulesOn(whole, above === '' ? 'asked' : 'linked')
  const report = (name: string, missing: Removal['missing']): void => {
    tell({ path: above + name, type: null, reason: 'fields', missing, rules })
  }
  const gone = [
    ...(fields ? [...whole.columns.keys()].filter((name) => !model.columns.has(name)) : []),
    ...(populate ? [...whole.links.keys()].filter((name) => !model.links.has(name)) : []),
  ]
  for (const name of gone) report(name, 'attribute')
  for (const { name, shownIn } of [...columns, ...branches.map(({ field }) => field)]) {
    if (shownIn !== undefined) report(name, 'attribute of some entries')
  }
}

function partlyShown(
  { columns }: Level<FaultBehindLink>,
  branches: readonly Branch<never>[],
  { showing }: VisibleRows,
): Level<never>['partly'] {
  const words = [...columns, ...branches.map(({ field }) => field)].flatMap(({ shownIn }) => shownIn ?? [])
  if (words.length === 0) return allShown
  return [...new Set(words)].map((shownIn) => ({ shownIn, where: showing(shownIn) }))
}

/** `seen`: the visible rows of the level's type. `above`: the names above, each followed by a dot. */
export function permitLevel(
  level: Level<FaultBehindLink>,
  seen: Condition<never>,
  pruning: Pruning,
  above: string,
): Level<never> {
  for (const { name } of level.leftOut) {
    pruning.tell?.({ path: above + name, type: null, reason: 'keys', missing: 'attribute', rules: [] })
  }
  reportUnshown(level, pruning, above)
  const branches = permitBranches(level, pruning, above)
  return {
    ...level,
    model: pruning.modelOf(level.model.uid),
    wildcards: none,
    leftOut: [],
    where: bothOf(permitCondition(level.where, pruning), seen),
    isRuled: seen !== everything,
    order: level.order.map((order) => permitOrder(order, pruning)),
    branches,
    partly: partlyShown(level, branches, pruning),
  }
}
