import type { Permitted } from '../../lib/access'
import type { Compiled, CompiledLevel, Statement } from '../../lib/sql'
import type { ObservedPlan } from '../../lib/http'
import { once } from '../../lib/memory'
import type { Model } from '../../lib/schema'
import { type PlanShape, planOutlineOf } from './plan-outline'

/** What a statement is there for. */
export type Purpose =
  /** Entries of the type `of`, at these paths from the type that was asked for; at no path for that type itself. */
  | {
      readonly reads: 'entries'
      readonly of: string
      readonly table: string
      readonly paths: readonly string[]
    }
  /** Where entries of the type `of` lead to. */
  | { readonly reads: 'links'; readonly of: string; readonly paths: readonly string[] }
  /** How many entries there are in all. */
  | {
      readonly reads: 'total'
      readonly of: string
      readonly table: string
      readonly paths: readonly string[]
    }

/** One level of a plan, with what its statements are there for. Branches that share one share it here. */
export interface DescribedLevel {
  readonly model: Model
  /** Dotted names of attributes, from the type that was asked for; none for that type itself. */
  readonly paths: readonly string[]
  /** Its entries are found by the rows that lead to them, in one statement with the links, and not by ids of their own. */
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
      // What comes along in the rows above has no statement of its own.
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

/** What there is to tell of a plan. */
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
  const { withTotal, withoutTotal } = compiled.telling()
  for (const read of [withTotal, withoutTotal]) if (page !== undefined) purposes.set(read().select, page)
  return { permitted, compiled, shape: planOutlineOf(permitted), levels, purposes }
}

type DescribedPlan = Pick<ObservedPlan, 'permitted' | 'compiled'>

const known = new WeakMap<Compiled, PlanDescription>()

/** Made once for each plan. */
export const planDescription = (plan: DescribedPlan): PlanDescription =>
  once(known, plan.compiled, () => describe(plan))
