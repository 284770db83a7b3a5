import type { QueryPath, RequestError } from '../errors'
import type { Quantifier, TextTest, ValueTest } from '../operators'
import type { QueryCondition, CursorKey, QueryKeysetPage, NumberedPage, PublicationStatus } from '../query'
import type { Column, ColumnType, LinkField, Model, Uid } from '../schema'

/** Populated attribute that the response leaves out. */
export interface Removal {
  readonly path: string
  /** Null: any, or unknown. */
  readonly type: Uid | null
  /** `rows`, `fields`: a limited grant; `above`: a parent is removed; `keys`: populated with keys of one type. */
  readonly reason: 'find' | 'drafts' | 'rows' | 'fields' | 'above' | 'keys'
  /** Places of the rules in the options. */
  readonly rules: readonly string[]
  readonly missing: 'attribute' | 'entries' | 'attribute of some entries'
}

/**
 * Error behind a link. It shows which names exist, so the access room throws it only where the role may read the type.
 * `F` is `FaultBehindLink` in a Plan and `never` once it is permitted.
 */
export interface FaultBehindLink {
  readonly op: 'fault'
  readonly error: RequestError
}

/** Instants are milliseconds, big integers exact. */
export type Value = string | number | bigint | boolean

/** Value of the current user, known when the statement runs. */
export interface AskerOperand {
  readonly asker: string
  readonly type: ColumnType
}

export type Operand = Value | AskerOperand

export type Test =
  | { readonly is: 'null' }
  | (ValueTest & { readonly value: Operand })
  | { readonly is: 'within'; readonly values: readonly Operand[] }
  | { readonly is: 'between'; readonly from: Operand; readonly to: Operand }
  | (TextTest & { readonly value: string })
  | { readonly is: 'superset'; readonly value: string }

/** Link, and the rows behind it that count. */
export interface Step {
  readonly field: LinkField
  readonly target: Model
  readonly visible: Condition<never>
  readonly path: QueryPath
}

/** An empty `and` is true, an empty `or` false. */
export type Condition<F = FaultBehindLink> =
  | { readonly op: 'and' | 'or'; readonly of: readonly Condition<F>[] }
  | { readonly op: 'test'; readonly column: Column; readonly test: Test; readonly negated: boolean }
  | {
      readonly op: 'some'
      readonly step: Step
      readonly of: Condition<F>
      /** Missing links match: they count as NULL. */
      readonly orMissing: boolean
    }
  /** Rule of the host. It may follow links to hidden rows, so it is never merged with conditions of a query. */
  | { readonly op: 'ruled'; readonly of: Condition<F> }
  /** Holds if the condition is false or NULL, also for rows that hide an attribute in it. */
  | { readonly op: 'not'; readonly of: Condition<F> }
  | LinkedEntries<F>
  | OtherVersion
  | NotInLocales
  | WrittenCondition
  | F

/** A condition on attributes that an extension writes as SQL. `alias` names the row. */
export interface WrittenCondition {
  readonly op: 'written'
  readonly columns: readonly Column[]
  /** Returns SQL with `?` for values and nested parts, and `??` for names. */
  readonly write: (alias: string) => { readonly text: string; readonly parts: readonly unknown[] }
}

export interface LinkedWay<F> {
  readonly step: Step
  readonly of: Condition<F>
}

export interface NamedType {
  readonly op: 'named'
  readonly target: Model
  readonly path: QueryPath
}

/** Rows with links to matching entries, or without any. Never NULL. */
export interface LinkedEntries<F = FaultBehindLink> {
  readonly op: 'linked'
  readonly asked: Quantifier | '$count'
  readonly field: LinkField
  readonly ways: readonly LinkedWay<F>[]
  /** Types named in the query, checked first, so that refused types and unknown ones get the same error. */
  readonly named: readonly (NamedType | F)[]
  readonly among: boolean
  /** Entries match if the condition is false or NULL. */
  readonly untrue: boolean
  /** Condition on the number of entries; null: one is enough. */
  readonly count: Condition<F> | null
}

export interface OtherVersion {
  readonly op: 'version'
  readonly exists: boolean
  readonly published: boolean
  readonly sameLocale: boolean
  readonly draftIsNewer: boolean | null
  readonly visible: Condition<never>
}

/** True if no visible row of the document has one of the locales. */
export interface NotInLocales {
  readonly op: 'not in locales'
  readonly locales: readonly string[]
  readonly visible: Condition<never>
}

export interface CountedLink {
  readonly model: Model
  readonly steps: readonly Step[]
}

/** Points of the rows that meet a condition. */
export interface Score {
  readonly where: Condition<never>
  readonly points: number
}

/** A condition in place of that of `_q`, and a sort key: the sum of the points of a row. It is the default sort. */
export interface TextMatch {
  readonly where: Condition<never>
  readonly sortKey: string
  readonly scores: readonly Score[]
}

/** An attribute of the entry, or of linked entries. */
export interface PlacedAttribute {
  readonly model: Model
  readonly column: Column
  /** An attribute of the entry itself that all entries show. */
  readonly isOwn: boolean
  /** Holds for entries with a linked entry that meets the condition. */
  readonly among: (met: Condition<never>) => Condition<never>
}

/** Returns the attribute at a path such as `author.name`, or null if the role may not use it. */
export type PlaceAttribute = (path: string) => PlacedAttribute | null

/** Returns the meaning of a text of `_q`, or null for the default. `model` has the attributes that the role may use. */
export type MatchText = (model: Model, text: string, place: PlaceAttribute) => TextMatch | null

export interface Order<F = FaultBehindLink> {
  /** The key is the sum of these points, and no column. */
  readonly scores?: readonly Score[]
  readonly steps: readonly Step[]
  readonly counted: CountedLink | null
  readonly column: Column | F
  /** The type of the column. */
  readonly model: Model
  readonly direction: 'asc' | 'desc'
}

export interface KeysetPage extends Omit<QueryKeysetPage, 'cursor'> {
  /** Identifies the list, so that cursors of other queries are rejected. */
  readonly list: string
  /** Null: the start or the end of the list. */
  readonly from: { readonly keys: readonly CursorKey[]; readonly id: number | string } | null
  /** Entries to skip behind `from`. */
  readonly start?: number
}

export type Page = NumberedPage | KeysetPage

/** Rows that show the attributes with this `shownIn`. */
export interface PartlyShown {
  readonly shownIn: string
  readonly where: Condition<never>
}

export const allShown: readonly PartlyShown[] = []

export interface Level<F = FaultBehindLink> {
  readonly op: 'level'
  readonly model: Model
  readonly columns: readonly Column[]
  readonly where: Condition<F>
  /** Rules hide some rows, so that links to them are not read. */
  readonly isRuled: boolean
  /** Empty: the editor's order. */
  readonly order: readonly Order<F>[]
  readonly branches: readonly Branch<F>[]
  readonly partly: readonly PartlyShown[]
  readonly wildcards: { readonly fields: boolean; readonly populate: boolean }
  /** Attributes that responses cannot show, populated with keys of one type. */
  readonly leftOut: readonly LinkField[]
}

/** Counts one more node, and throws beyond the limit. */
export type Spend = (path: QueryPath) => void

/** Level that is planned only for roles that may read the type: its errors and costs would expose attributes. */
export interface Pending {
  readonly op: 'pending'
  readonly level: (spend: Spend) => Level
  readonly named: () => readonly string[]
}

export type Target<F = FaultBehindLink> = Level<F> | ([F] extends [never] ? never : Pending)

export interface Branch<F = FaultBehindLink> {
  readonly field: LinkField
  readonly targets: ReadonlyMap<Uid, Target<F>>
  /** For elements of types that are not targets. */
  readonly unlisted: 'stub' | 'omit'
  readonly answer: 'entries' | 'count'
  /** Page for each parent row; null: all entries. */
  readonly page: NumberedPage | null
}

export interface Plan<F = FaultBehindLink> {
  readonly root: Level<F>
  readonly status: PublicationStatus
  /** The filter exposes drafts, which needs a grant. */
  readonly tellsOfDrafts: boolean
  readonly narrowed: boolean
  readonly page: Page | null
  /** Paths that an extension reads beside the entries. */
  readonly keys: readonly Order<F>[]
  /** New count for each time that the plan is permitted. */
  readonly startSpending: () => Spend
  /** Condition of a rule; `status`: of linked rows. */
  readonly ruled: (model: Model, rule: QueryCondition, status: PublicationStatus) => Condition
}

type PermittedCondition = Condition<never>
type SomeBehindLink = Extract<PermittedCondition, { op: 'some' }>
type Sets = readonly [SomeBehindLink, ...SomeBehindLink[]]

/** Conditions and faults directly below. */
export function childrenOf<F extends FaultBehindLink = never>(
  condition: Condition<F>,
): readonly Condition<F>[] {
  if (condition.op === 'and' || condition.op === 'or') return condition.of
  if (condition.op === 'some' || condition.op === 'ruled' || condition.op === 'not') return [condition.of]
  if (condition.op !== 'linked') return []
  const named = condition.named.flatMap((one) => (one.op === 'named' ? [] : one))
  return [
    ...named,
    ...condition.ways.map(({ of }) => of),
    ...(condition.count === null ? [] : [condition.count]),
  ]
}

export const leadsThroughLinks = (condition: Condition): boolean =>
  condition.op === 'some' || condition.op === 'linked' || childrenOf(condition).some(leadsThroughLinks)

/** Parts of nested conditions with the same `op`. */
export const partsOf = <F extends FaultBehindLink = never>(
  condition: Condition<F>,
  op: 'and' | 'or' = 'and',
): readonly Condition<F>[] =>
  condition.op === op ? condition.of.flatMap((part) => partsOf(part, op)) : [condition]

function byLink(sets: readonly SomeBehindLink[]): readonly Sets[] {
  const found = new Map<LinkField, [SomeBehindLink, ...SomeBehindLink[]]>()
  for (const set of sets) {
    const before = found.get(set.step.field)
    if (before === undefined) found.set(set.step.field, [set])
    else before.push(set)
  }
  return [...found.values()]
}

function asOne(sets: Sets, op: 'and' | 'or'): PermittedCondition {
  const [first, ...others] = sets
  if (others.length === 0) return first
  const orMissing = op === 'or' ? sets.some((one) => one.orMissing) : sets.every((one) => one.orMissing)
  return { ...first, of: { op, of: sets.map(({ of }) => of) }, orMissing }
}

/** One test for missing links, in place of one for each set. */
function orNowhere(sets: Sets): PermittedCondition {
  const [first, ...others] = sets
  if (others.length === 0) return first
  const met = sets.map((one) => ({ ...one, orMissing: false }))
  const nowhere: PermittedCondition = { ...first, of: { op: 'or', of: [] } }
  return { op: 'or', of: [{ op: 'and', of: met }, nowhere] }
}

/** Sets are merged for `and` only through to-one links: two conditions may be met by two tags. */
export function mergeSets(condition: PermittedCondition): PermittedCondition {
  if (condition.op === 'some' || condition.op === 'ruled' || condition.op === 'not')
    return { ...condition, of: mergeSets(condition.of) }
  if (condition.op === 'linked') {
    return { ...condition, ways: condition.ways.map(({ step, of }) => ({ step, of: mergeSets(of) })) }
  }
  if (condition.op !== 'and' && condition.op !== 'or') return condition
  const { op } = condition
  const parts = partsOf(condition, op)
  const sets = parts.filter((part) => part.op === 'some')
  const isShared = ({ step }: SomeBehindLink): boolean => op === 'or' || !step.field.many
  const others = sets.filter((set) => !isShared(set))
  const of = [
    ...parts.filter((part) => part.op !== 'some'),
    ...byLink(sets.filter(isShared)).map((all) => asOne(all, op)),
    ...others.filter(({ orMissing }) => !orMissing),
    ...byLink(others.filter(({ orMissing }) => orMissing)).map(orNowhere),
  ].map(mergeSets)
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { op, of }
}

export function linksInARow(condition: PermittedCondition): number {
  if (condition.op === 'linked') return 0
  return (condition.op === 'some' ? 1 : 0) + Math.max(0, ...childrenOf(condition).map(linksInARow))
}
