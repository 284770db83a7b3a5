import type { Permitted } from '../../lib/access'
import type { Compiled, CompiledLevel, Statement } from '../../lib/sql'
import type { ObservedPlan } from '../../lib/http'
import { once } from '../../lib/memory'
import type { Model } from '../../lib/schema'
import { type PlanShape, planOutlineOf } from './plan-outline'

/**
 * Entries of the type `of` at these paths from the requested type, or their total number; no path for that type itself.
 * `links`: related entries.
 */
export type Purpose = { readonly of: string; readonly paths: readonly string[] } & (
  { readonly reads: 'entries' | 'total'; readonly table: string } | { readonly reads: 'links' }
)

/** One level of a plan, with the purpose of each statement. Branches that share a level share it here. */
export interface DescribedLevel {
  readonly model: Model
  /** Dotted names of attributes from the requested type; empty for that type itself. */
  readonly paths: readonly string[]
  /** True if one statement reads its entries together with the relation, without ids. */
  readonly isJoined: boolean
  readonly statements: ReadonlyMap<Statement, Purpose>
}

type Own = readonly (readonly [Statement, Purpose])[]

function describeLevels({ root, select, total, edges }: Compiled): readonly DescribedLevel[] {
  const visit = (
    compiled: CompiledLevel,
    paths: readonly string[],
    isJoined: boolean,
    own: Own,
  ): DescribedLevel[] => {
    const { model } = compiled.level
    const links = compiled.links.map(({ statement }): Own[number] => {
      return [statement, { reads: 'links', of: model.uid, paths }]
    })
    const below = compiled.targets.flatMap((target, index) => {
      const { uid, table } = target.level.model
      const at = pathsTo(compiled, index, paths)
      const { found } = target
      // Entries in the rows above have no statement of their own.
      const read: Own =
        found.by === 'rows' ? [] : [[found.select, { reads: 'entries', of: uid, table, paths: at }]]
      return visit(target, at, found.by !== 'ids', read)
    })
    return [{ model, paths, isJoined, statements: new Map([...own, ...links]) }, ...below]
  }
  const { uid: of, table } = root.level.model
  return visit(root, [], false, [
    [select, { reads: 'entries', of, table, paths: [] }],
    [total, { reads: 'total', of, table, paths: [] }],
    ...(edges === null ? [] : [[edges.others, { reads: 'entries', of, table, paths: [] }] as const]),
  ])
}

function pathsTo({ branches }: CompiledLevel, index: number, paths: readonly string[]): readonly string[] {
  const names = branches
    .filter(({ targets }) => [...targets.values()].includes(index))
    .map(({ branch }) => branch.field.name)
  const prefixes = paths.length === 0 ? [''] : paths.map((path) => `${path}.`)
  return prefixes.flatMap((prefix) => names.map((name) => prefix + name))
}

export interface PlanDescription {
  readonly permitted: Permitted
  readonly compiled: Compiled
  readonly shape: PlanShape
  readonly levels: readonly DescribedLevel[]
  readonly purposes: ReadonlyMap<Statement, Purpose>
}

function describe({ permitted, compiled }: DescribedPlan): PlanDescription {
  const levels = describeLevels(compiled)
  const purposes = new Map(levels.flatMap(({ statements }) => [...statements]))
  const page = purposes.get(compiled.select)
  const { withState, withStateAndTotal } = compiled
  for (const read of [withState, withStateAndTotal]) if (page !== undefined) purposes.set(read().select, page)
  return { permitted, compiled, shape: planOutlineOf(permitted), levels, purposes }
}

type DescribedPlan = Pick<ObservedPlan, 'permitted' | 'compiled'>

const known = new WeakMap<Compiled, PlanDescription>()

export const planDescription = (plan: DescribedPlan): PlanDescription =>
  once(known, plan.compiled, () => describe(plan))
