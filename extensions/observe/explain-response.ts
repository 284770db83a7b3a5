import type { CompiledLevel, Statement } from '../../lib/sql'
import type { RanStatement } from '../../lib/read'
import { once } from '../../lib/memory'
import type { Plan, Removal } from '../../lib/plan'
import type { Model } from '../../lib/schema'
import type { DescribedLevel, PlanDescription, Purpose } from './plan-description'

interface Explained {
  readonly reads: Purpose['reads']
  readonly sql: string
  /** Counts the ids in the statement. If the statement has no ids, the count is null. */
  readonly ids: number | null
  /** Counts the entries whose relations were read. */
  readonly owners: number | null
  /**
   * Counts the executions of the statement. The count is 0 if another statement returned the rows, or if no relation
   * had to be read.
   */
  readonly sent: number
  readonly rows: number
  readonly ms: number
}

interface ExplainedLevel {
  readonly paths: readonly string[]
  readonly type: string
  readonly shows: 'published' | 'drafts' | 'all'
  readonly statements: readonly Explained[]
}

interface ExplainedRemoval {
  readonly path: string
  readonly type: string | null
  readonly reason: Removal['reason'] | 'on'
  readonly missing: Removal['missing'] | 'all but id and type'
  readonly because: string
  /** Lists the positions of the rules in the router's options. */
  readonly rules?: readonly string[]
}

export interface Explanation {
  readonly shape: string
  readonly levels: readonly ExplainedLevel[]
  readonly removed: readonly ExplainedRemoval[]
  /** Contains the SQL of indexes that would make the page fast, if the table is long. */
  readonly missingIndexes: readonly string[]
}

export const reasonsInWords: Readonly<Record<ExplainedRemoval['reason'], (type: string) => string>> = {
  find: (type) => `no role of the caller is allowed to find ${type}`,
  drafts: (type) =>
    `the query has status=draft, and no role of the caller is allowed to read drafts of ${type}`,
  rows: (type) => `the rules of the caller grant only some entries of ${type}`,
  fields: () => 'the rules of the caller do not grant the field',
  above: () => 'the router does not check names inside a removed part',
  on: (type) => `"on" in the query does not list ${type}`,
  keys: () =>
    'the relation can link to any type, but the query has keys for a single type. List the types in "on"',
}

function removedFromPlan({ path, type, reason, missing, rules }: Removal): ExplainedRemoval {
  const ruled = rules.length === 0 ? {} : { rules }
  return { path, type, reason, missing, ...ruled, because: reasonsInWords[reason](type ?? '') }
}

type RemovedTypes = ReadonlyMap<string, ReadonlySet<Removal['type']>>

function removedByPath(removed: readonly Removal[]): RemovedTypes {
  const told = new Map<string, Set<Removal['type']>>()
  for (const { path, type } of removed) once(told, path, () => new Set<Removal['type']>()).add(type)
  return told
}

/** Types that a list of fragments left out. Types without the right `find` are reported already. */
function unlisted(level: CompiledLevel, told: RemovedTypes, above: string): ExplainedRemoval[] {
  return level.branches.flatMap(({ branch, targets }) => {
    const path = above + branch.field.name
    const known = told.get(path)
    const gone = branch.field.targets.filter((uid) => !targets.has(uid) && known?.has(uid) !== true)
    const missing = branch.unlisted === 'stub' ? 'all but id and type' : 'entries'
    const own = gone.map((type): ExplainedRemoval => {
      return { path, type, reason: 'on', missing, because: reasonsInWords.on(type) }
    })
    const below = [...targets.values()].flatMap((index) => {
      const target = level.targets[index]
      return target === undefined ? [] : unlisted(target, told, `${path}.`)
    })
    return [...own, ...below]
  })
}

function explained(
  { isJoined }: DescribedLevel,
  statement: Statement,
  { reads }: Purpose,
  runs: readonly RanStatement[],
): Explained {
  const own = runs.filter((ran) => ran.statement === statement)
  const sum = (count: (ran: RanStatement) => number): number => own.reduce((all, ran) => all + count(ran), 0)
  const given = own.some(({ ids }) => ids !== null) ? sum(({ ids }) => ids ?? 0) : null
  const isByOwner = reads === 'links' || (reads === 'entries' && isJoined)
  return {
    reads,
    sql: statement.sql,
    ids: isByOwner ? null : given,
    owners: isByOwner ? given : null,
    sent: own.length,
    rows: sum(({ result }) => (result.outcome === 'read' ? result.rows : 0)),
    ms: Number(sum(({ ms }) => ms).toFixed(2)),
  }
}

function showsOf({ status }: Pick<Plan, 'status'>, { draftAndPublish }: Model): ExplainedLevel['shows'] {
  if (!draftAndPublish) return 'all'
  return status === 'draft' ? 'drafts' : 'published'
}

/** For operators only: it names types and attributes that the role may not see. */
export function explainResponse(
  { permitted, compiled, shape, levels }: PlanDescription,
  runs: readonly RanStatement[],
  removed: readonly Removal[],
): Omit<Explanation, 'missingIndexes'> {
  return {
    shape: shape.text,
    levels: levels.map((level) => ({
      paths: level.paths,
      type: level.model.uid,
      shows: showsOf(permitted, level.model),
      statements: [...level.statements].map(([statement, purpose]) =>
        explained(level, statement, purpose, runs),
      ),
    })),
    removed: [...removed.map(removedFromPlan), ...unlisted(compiled.root, removedByPath(removed), '')],
  }
}
