import type { Branch, FaultBehindLink, Level, Removal, Spend, Target } from '../plan'
import type { Model, Uid } from '../schema'
import type { Readable, Refusing } from './readable'
import { permitCondition, permitOrder } from './permit-condition'

export interface Pruning {
  readonly refused: Refusing
  readonly readable: Readable
  readonly modelOf: (uid: Uid) => Model
  /** Null where what was left out is not to be explained: a client may name very much of it. */
  readonly tell: ((removal: Removal) => void) | null
  readonly spend: Spend
}

/** The names above, each with a dot behind it. */
type Prefix = string

const permitTarget = (target: Target<FaultBehindLink>, pruning: Pruning, above: Prefix): Level<never> =>
  permitLevel(target.op === 'pending' ? target.level(pruning.spend) : target, pruning, above)

function tellOf(
  uid: Uid,
  target: Target<FaultBehindLink>,
  path: string,
  missing: Removal['missing'],
  pruning: Pruning,
): void {
  const { tell, refused, modelOf } = pruning
  const reason = tell === null ? null : refused(modelOf(uid))
  if (tell === null || reason === null) return
  tell({ path, type: uid, reason, missing })
  const names = target.op === 'pending' ? target.named() : []
  for (const name of names) tell({ path: `${path}.${name}`, type: null, reason: 'above', missing })
}

/**
 * What the role may not find falls away, told to operators alone, and its siblings stay. A field that could only lead to
 * such types is absent; one that can lead to others as well shows those.
 */
function permitBranch(
  branch: Branch<FaultBehindLink>,
  pruning: Pruning,
  above: Prefix,
): Branch<never> | null {
  const path = above + branch.field.name
  const kept = [...branch.targets].filter(([uid]) => pruning.readable(pruning.modelOf(uid)))
  const isGone = kept.length === 0 && branch.targets.size > 0
  for (const [uid, target] of branch.targets) {
    tellOf(uid, target, path, isGone ? 'attribute' : 'entries', pruning)
  }
  if (isGone) return null
  const targets = new Map<Uid, Level<never>>()
  for (const [uid, target] of kept) targets.set(uid, permitTarget(target, pruning, `${path}.`))
  return { ...branch, targets }
}

/** In loops, as calls within calls would take three times as much of the stack for each level. */
function permitBranches(
  level: Level<FaultBehindLink>,
  pruning: Pruning,
  above: Prefix,
): readonly Branch<never>[] {
  const permitted: Branch<never>[] = []
  for (const branch of level.branches) {
    const own = permitBranch(branch, pruning, above)
    if (own !== null) permitted.push(own)
  }
  return permitted
}

export function permitLevel(level: Level<FaultBehindLink>, pruning: Pruning, above: Prefix): Level<never> {
  for (const { name } of level.leftOut) {
    pruning.tell?.({ path: above + name, type: null, reason: 'keys', missing: 'attribute' })
  }
  return {
    ...level,
    leftOut: [],
    where: permitCondition(level.where, pruning.readable),
    order: level.order.map((order) => permitOrder(order, pruning.readable)),
    branches: permitBranches(level, pruning, above),
  }
}
