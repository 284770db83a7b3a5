import type { Branch, Fault, Level, Removal } from '../plan'
import type { Model, Uid } from '../schema'
import type { Readable, Refusing } from './readable'
import { permitCondition, permitOrder } from './refuse'

export interface Pruning {
  readonly refused: Refusing
  readonly readable: Readable
  readonly modelOf: (uid: Uid) => Model
  readonly tell: (removal: Removal) => void
}

type Path = Removal['path']

function permitTarget(target: Level<Fault> | Fault, pruning: Pruning, path: Path): Level<never> {
  if (target.op === 'fault') throw target.error
  return permitLevel(target, pruning, path)
}

/**
 * What the role may not find falls away, told to operators alone, and its siblings stay. A field that could only lead to
 * such types is absent; one that can lead to others as well shows those.
 */
function permitBranch(branch: Branch<Fault>, pruning: Pruning, above: Path): Branch<never>[] {
  const path = [...above, branch.field.name]
  const kept = [...branch.targets].filter(([uid]) => pruning.readable(pruning.modelOf(uid)))
  const isGone = kept.length === 0 && branch.targets.size > 0
  for (const uid of branch.targets.keys()) {
    const reason = pruning.refused(pruning.modelOf(uid))
    if (reason !== null) {
      pruning.tell({ path, type: uid, reason, missing: isGone ? 'attribute' : 'entries' })
    }
  }
  if (isGone) return []
  const targets = new Map(kept.map(([uid, target]) => [uid, permitTarget(target, pruning, path)]))
  return [{ ...branch, targets }]
}

export function permitLevel(level: Level<Fault>, pruning: Pruning, path: Path): Level<never> {
  return {
    ...level,
    where: permitCondition(level.where, pruning.readable),
    order: level.order.map((order) => permitOrder(order, pruning.readable)),
    branches: level.branches.flatMap((branch) => permitBranch(branch, pruning, path)),
  }
}
