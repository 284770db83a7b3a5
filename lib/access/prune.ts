import type { Branch, Fault, Level } from '../plan'
import type { Model, Uid } from '../schema'
import type { Readable } from './readable'
import { permitCondition, permitOrder } from './refuse'

export interface Pruning {
  readonly readable: Readable
  readonly modelOf: (uid: Uid) => Model
}

function permitTarget(target: Level<Fault> | Fault, pruning: Pruning): Level<never> {
  if (target.op === 'fault') throw target.error
  return permitLevel(target, pruning)
}

/**
 * What the role may not find falls away without a word, and its siblings stay. A field that could only lead to such
 * types is absent; one that can lead to others as well shows those.
 */
function permitBranch(branch: Branch<Fault>, pruning: Pruning): Branch<never>[] {
  const kept = [...branch.targets].filter(([uid]) => pruning.readable(pruning.modelOf(uid)))
  if (kept.length === 0 && branch.targets.size > 0) return []
  const targets = new Map(kept.map(([uid, target]) => [uid, permitTarget(target, pruning)]))
  return [{ ...branch, targets }]
}

export function permitLevel(level: Level<Fault>, pruning: Pruning): Level<never> {
  return {
    ...level,
    where: permitCondition(level.where, pruning.readable),
    order: level.order.map((order) => permitOrder(order, pruning.readable)),
    branches: level.branches.flatMap((branch) => permitBranch(branch, pruning)),
  }
}
