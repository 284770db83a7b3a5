import type { Fault } from '../errors'
import { checkCircles, checkComponents } from './check-components'
import { checkNames } from './check-names'
import { checkRelations } from './check-relations'
import { checkShared } from './check-shared'
import type { Declarations } from './declared'
import type { Reading } from './reading'
import { type CostlyAttribute, loosenParts, loosenRelations } from './loosen-relations'

export interface Checked {
  readonly declarations: Declarations
  readonly faults: readonly Fault[]
  readonly costs: readonly CostlyAttribute[]
}

function faultsOf(all: Declarations, reading: Reading): readonly Fault[] {
  const declared = [...all.values()]
  return [
    ...declared.flatMap((one) => [
      ...checkNames(one, reading),
      ...checkRelations(all, one, reading),
      ...checkComponents(all, one),
    ]),
    ...checkCircles(all),
    ...checkShared(all, reading),
  ]
}

/** Whether definitions fit together, or what is left of them where they need not. */
export function check(all: Declarations, reading: Reading): Checked {
  if (reading === 'strict') return { declarations: all, faults: faultsOf(all, reading), costs: [] }
  const parts = loosenParts(all)
  const faults = faultsOf(parts.all, reading)
  if (faults.length > 0) return { declarations: parts.all, faults, costs: parts.costs }
  const relations = loosenRelations(parts.all)
  return { declarations: relations.all, faults, costs: [...parts.costs, ...relations.costs] }
}
