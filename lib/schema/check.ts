import type { Fault } from '../errors'
import { checkComponents } from './check-components'
import { checkNames } from './check-names'
import { checkRelations } from './check-relations'
import { checkShared } from './check-shared'
import type { Declarations } from './declared'
import { type CostlyAttribute, loosenParts, loosenRelations } from './loosen-relations'

export interface Checked {
  readonly declarations: Declarations
  readonly faults: readonly Fault[]
  readonly costs: readonly CostlyAttribute[]
}

function faultsOf(all: Declarations): readonly Fault[] {
  const declared = [...all.values()]
  return [
    ...declared.flatMap((one) => [
      ...checkNames(one),
      ...checkRelations(all, one),
      ...checkComponents(all, one),
    ]),
    ...checkShared(all),
  ]
}

/** Whether definitions fit together, or what is left of them where they need not. */
export function check(all: Declarations): Checked {
  const parts = loosenParts(all)
  const faults = faultsOf(parts.all)
  if (faults.length > 0) return { declarations: parts.all, faults, costs: parts.costs }
  const relations = loosenRelations(parts.all)
  return { declarations: relations.all, faults, costs: [...parts.costs, ...relations.costs] }
}
