import type { QueryPath, RequestError } from '../errors'
import type { Quantifier, TextTest, ValueTest } from '../operators'
import type { AskedCondition, HeldKey, KeysetSide, NumberedPage, PublicationStatus } from '../query'
import type { Column, ColumnType, LinkField, Model, Uid } from '../schema'

/** Something that is populated and that an answer leaves out. */
export interface Removal {
  /** Dotted names of attributes, from the type that was asked for. */
  readonly path: string
  /** Null where it was not looked for, or could be any. */
  readonly type: Uid | null
  /** Which grant of the type is missing, or holds for some rows or attributes only; or it lies below what is removed, or was populated with keys of one type. */
  readonly reason: 'find' | 'drafts' | 'rows' | 'fields' | 'above' | 'keys'
  /** The rules that hold there, by where the host wrote them; none where the reason is no rule. */
  readonly rules: readonly string[]
  /** The attribute itself, or only those of its entries that are of this type; or it is not in all entries around it. */
  readonly missing: 'attribute' | 'entries' | 'attribute of some entries'
}

/**
 * An error in a query, found behind a link. If the role may not read the type there, the client must not see the error:
 * it would show which names exist. So the plan carries it, and the access room throws it only where the role may read.
 *
 * `F` is `FaultBehindLink` in a Plan and `never` once it is permitted, so nothing later has to think of faults.
 */
export interface FaultBehindLink {
  readonly op: 'fault'
  readonly error: RequestError
}

/** A value in its attribute's own kind: instants are milliseconds, big integers exact. */
export type Value = string | number | bigint | boolean

/** A value of whoever asks, of this kind: it is known when a statement runs, and no part of a plan. */
export interface AskerOperand {
  readonly asker: string
  readonly type: ColumnType
}

export type Operand = Value | AskerOperand

/** A test of an operator with its values. */
export type Test =
  | { readonly is: 'null' }
  | (ValueTest & { readonly value: Operand })
  | { readonly is: 'within'; readonly values: readonly Operand[] }
  | { readonly is: 'between'; readonly from: Operand; readonly to: Operand }
  | (TextTest & { readonly value: string })
  | { readonly is: 'superset'; readonly value: string }

/** One link followed, and which rows behind it count. */
export interface Step {
  readonly field: LinkField
  readonly target: Model
  readonly visible: Condition<never>
  readonly path: QueryPath
}

/** An empty `and` holds for every row, an empty `or` for none. */
export type Condition<F> =
  | { readonly op: 'and' | 'or'; readonly of: readonly Condition<F>[] }
  | { readonly op: 'test'; readonly column: Column; readonly test: Test; readonly negated: boolean }
  | {
      readonly op: 'some'
      readonly step: Step
      readonly of: Condition<F>
      /** Also holds for a row that the link leads nowhere from: a missing relation counts as NULL. */
      readonly orMissing: boolean
    }
  | Ruled<F>
  | LinkedEntries<F>
  | OtherVersion
  | NotInLocales
  | F

/**
 * What the host says of the rows that may be seen. It follows links to rows that may not, so that no condition of a query is
 * one with it.
 */
export interface Ruled<F> {
  readonly op: 'ruled'
  readonly of: Condition<F>
}

/** One of the types that a link leads to, and what its entries have to meet. */
export interface LinkedWay<F> {
  readonly step: Step
  readonly of: Condition<F>
}

/** A type that a query names among those that a link leads to. */
export interface NamedType {
  readonly op: 'named'
  readonly target: Model
  readonly path: QueryPath
}

/** Rows that are, or are not, among those that the links of certain entries start from. It is true or false of every row. */
export interface LinkedEntries<F> {
  readonly op: 'linked'
  readonly asked: Quantifier | '$count'
  readonly field: LinkField
  readonly ways: readonly LinkedWay<F>[]
  /** Looked at before all else, so that those that a role may not read are refused where unknown ones are. */
  readonly named: readonly (NamedType | F)[]
  readonly among: boolean
  /** Whether the entries are those for which the condition is not true: false, or unknown for a NULL. */
  readonly untrue: boolean
  /** How many entries it takes; null where one is enough. */
  readonly count: Condition<F> | null
}

/** The draft of a published row, or the published version of a draft. */
export interface OtherVersion {
  readonly op: 'version'
  readonly exists: boolean
  readonly published: boolean
  readonly sameLocale: boolean
  /** Whether the draft has to be newer than the published version, or not. */
  readonly draftIsNewer: boolean | null
  /** Which of them counts. */
  readonly visible: Condition<never>
}

/** No row of the same document that may be seen is of one of these locales. */
export interface NotInLocales {
  readonly op: 'not in locales'
  readonly locales: readonly string[]
  readonly visible: Condition<never>
}

/** How many entries a link leads to, whichever of its types they are. */
export interface CountedLink {
  readonly model: Model
  readonly steps: readonly Step[]
}

export interface Order<F> {
  readonly steps: readonly Step[]
  /** At the end of the steps, in the place of the column; null where it is by the column. */
  readonly counted: CountedLink | null
  readonly column: Column | F
  /** Which holds the column. */
  readonly table: string
  readonly direction: 'asc' | 'desc'
}

/** The entries behind a place in the order, or before it. */
export interface KeysetPage extends KeysetSide {
  readonly limit: number
  readonly withCount: boolean
  /** The name of the list, by which its cursors are known. */
  readonly list: string
  /** What the entry there is sorted by, and its id; null for the end of the list where it begins. */
  readonly from: { readonly keys: readonly HeldKey[]; readonly id: number } | null
  readonly path: QueryPath
}

export type Page = NumberedPage | KeysetPage

/** Which rows show what has this word for it. */
export interface PartlyShown {
  readonly shownIn: string
  readonly where: Condition<never>
}

export interface Wildcards {
  readonly fields: boolean
  readonly populate: boolean
}

export const allShown: readonly PartlyShown[] = []

export interface Level<F> {
  readonly op: 'level'
  readonly model: Model
  readonly columns: readonly Column[]
  readonly where: Condition<F>
  /** Whether rules hide some of its rows: links to these are not read. */
  readonly isRuled: boolean
  /** Empty: the editor's order. */
  readonly order: readonly Order<F>[]
  readonly branches: readonly Branch<F>[]
  /** What some rows show and others do not, and which do. */
  readonly partly: readonly PartlyShown[]
  /** Whether all attributes, and all links, are asked for without their names. */
  readonly wildcards: Wildcards
  /** Populated in a way that their answers have no room for. */
  readonly leftOut: readonly LinkField[]
}

/** Takes note that one more thing is read, and refuses one too many. */
export type Spend = (path: QueryPath) => void

/**
 * What would be read of a type. It is worked out only for those who may read the type: what it says or costs would tell
 * all others of the type's attributes.
 */
export interface Pending {
  readonly op: 'pending'
  readonly level: (spend: Spend) => Level<FaultBehindLink>
  /** The names that are populated there, dotted, in the client's words. */
  readonly named: () => readonly string[]
}

/** `Pending` in a Plan, a level once it is permitted. */
export type Target<F> = Level<F> | ([F] extends [never] ? never : Pending)

/** `entries`: what is loaded of them; `count`: only how many there are. */
export type BranchAnswer = 'entries' | 'count'

export interface Branch<F> {
  readonly field: LinkField
  readonly targets: ReadonlyMap<Uid, Target<F>>
  /** What becomes of an element whose type is not among the targets. */
  readonly unlisted: 'stub' | 'omit'
  readonly answer: BranchAnswer
  /** Which of the entries that one row leads to; null for all of them. */
  readonly page: NumberedPage | null
}

export interface Plan<F = FaultBehindLink> {
  readonly root: Level<F>
  readonly status: PublicationStatus
  /** Filters that tell published from unpublished need the right to read drafts. */
  readonly tellsOfDrafts: boolean
  /** Only some of the entries that the role may see were asked for. */
  readonly narrowed: boolean
  /** Null for one entry. */
  readonly page: Page | null
  /** For each time that the plan is permitted, what it may cost. */
  readonly startSpending: () => Spend
  /** What a rule says of the rows of a type, and of versions of this status where links lead to some. */
  readonly ruled: (
    model: Model,
    rule: AskedCondition,
    status: PublicationStatus,
  ) => Condition<FaultBehindLink>
}

type PermittedCondition = Condition<never>
type SomeBehindLink = Extract<PermittedCondition, { op: 'some' }>
type Sets = readonly [SomeBehindLink, ...SomeBehindLink[]]

export function leadsThroughLinks(condition: Condition<FaultBehindLink>): boolean {
  if (condition.op === 'and' || condition.op === 'or') return condition.of.some(leadsThroughLinks)
  if (condition.op === 'ruled') return leadsThroughLinks(condition.of)
  return condition.op === 'some' || condition.op === 'linked'
}

/** What all have to hold, or of which any has to, however it is nested. */
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

/** One set of rows that meet all of it, or any. */
function asOne(sets: Sets, op: 'and' | 'or'): PermittedCondition {
  const [first, ...others] = sets
  if (others.length === 0) return first
  const orMissing = op === 'or' ? sets.some((one) => one.orMissing) : sets.every((one) => one.orMissing)
  return { ...first, of: { op, of: sets.map(({ of }) => of) }, orMissing }
}

/** That the link leads nowhere is asked once. */
function orNowhere(sets: Sets): PermittedCondition {
  const [first, ...others] = sets
  if (others.length === 0) return first
  const met = sets.map((one) => ({ ...one, orMissing: false }))
  const nowhere: PermittedCondition = { ...first, of: { op: 'or', of: [] } }
  return { op: 'or', of: [{ op: 'and', of: met }, nowhere] }
}

/**
 * The same condition, with as few sets as it takes. Any of several conditions through one link is met by one row there or by
 * none. All of them are met by one row only where the link leads to one: an entry with a red tag and a large tag need not
 * have one that is both.
 */
export function mergeSets(condition: PermittedCondition): PermittedCondition {
  if (condition.op === 'some' || condition.op === 'ruled')
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

/** Through how many links in a row a condition leads. */
export function linksInARow(condition: PermittedCondition): number {
  if (condition.op === 'some') return 1 + linksInARow(condition.of)
  if (condition.op === 'ruled') return linksInARow(condition.of)
  if (condition.op !== 'and' && condition.op !== 'or') return 0
  return condition.of.reduce((most, part) => Math.max(most, linksInARow(part)), 0)
}
