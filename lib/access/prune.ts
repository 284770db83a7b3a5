import type { Branch, Fault, Level, Removal, Spend, Target } from '../plan'
import type { Model, Uid } from '../schema'
import type { Readable, Refusing } from './readable'
import { permitCondition, permitOrder } from './refuse'

export interface Pruning {
  readonly refused: Refusing
  readonly readable: Readable
  readonly modelOf: (uid: Uid) => Model
  readonly tell: (removal: Removal) => void
  readonly spend: Spend
}

type Path = Removal['path']

const permitTarget = (target: Target<Fault>, pruning: Pruning, path: Path): Level<never> =>
  permitLevel(target.op === 'pending' ? target.level(pruning.spend) : target, pruning, path)

function tellOf(
  uid: Uid,
  target: Target<Fault>,
  path: Path,
  missing: Removal['missing'],
  pruning: Pruning,
): void {
  const reason = pruning.refused(pruning.modelOf(uid))
  if (reason === null) return
  pruning.tell({ path, type: uid, reason, missing })
  const names = target.op === 'pending' ? target.named() : []
  for (const below of names) pruning.tell({ path: [...path, ...below], type: null, reason: 'above', missing })
}

/**
 * What the role may not find falls away, told to operators alone, and its siblings stay. A field that could only lead to
 * such types is absent; one that can lead to others as well shows those.
 */
function permitBranch(branch: Branch<Fault>, pruning: Pruning, above: Path): Branch<never>[] {
  const path = [...above, branch.field.name]
  const kept = [...branch.targets].filter(([uid]) => pruning.readable(pruning.modelOf(uid)))
  const isGone = kept.length === 0 && branch.targets.size > 0
  for (const [uid, target] of branch.targets) {
    tellOf(uid, target, path, isGone ? 'attribute' : 'entries', pruning)
  }
  if (isGone) return []
  const targets = new Map(kept.map(([uid, target]) => [uid, permitTarget(target, pruning, path)]))
  return [{ ...branch, targets }]
}

export function permitLevel(level: Level<Fault>, pruning: Pruning, path: Path): Level<never> {
  for (const { name } of level.leftOut) {
    pruning.tell({ path: [...path, name], type: null, reason: 'keys', missing: 'attribute' })
  }
  return {
    ...level,
    leftOut: [],
    where: permitCondition(level.where, pruning.readable),
    order: level.order.map((order) => permitOrder(order, pruning.readable)),
    branches: level.branches.flatMap((branch) => permitBranch(branch, pruning, path)),
  }
}
