import {
  type Branch,
  type Condition,
  everything,
  type Level,
  type Removal,
  type Spend,
  standsAsPut,
  type Target,
  type LinkedEntries,
  type Order,
  type Step,
  type Plan,
  partsOf,
} from '../plan'
import type { ReadAction } from '../config'
import { linkedTypes, type Uid, type Model } from '../schema'
import { unknownKey, forbidden } from '../errors'
import { type PublicationStatus, publicationFilters, wrongPublicationFilter } from '../query'
import type { Grants } from './grants'
import { showsAlways } from './role-schema'

export interface VisibleRows {
  readonly asked: Condition<never>
  readonly linked: (model: Model) => Condition<never>
  /** The drafts of published rows, or the published versions of drafts. */
  readonly otherVersion: Condition<never>
  /** The places of the rules, for the log. */
  readonly rulesOn: (model: Model, at: 'asked' | 'linked') => readonly string[]
  /** Rows that show a partly shown attribute. */
  readonly showing: (shownIn: string) => Condition<never>
}

export interface Pruning extends Permitting, VisibleRows {
  /** Null: no grant is missing. */
  readonly refused: (model: Model) => MissingGrant
  readonly modelOf: (uid: Uid) => Model
  /** Null if it is not needed: clients may name very many parts. */
  readonly tell: ((removal: Removal) => void) | null
  readonly spend: Spend
}

function reportRemoval(
  uid: Uid,
  target: Target,
  path: string,
  missing: Removal['missing'],
  pruning: Pruning,
): void {
  const { tell, refused, linked, rulesOn, modelOf } = pruning
  if (tell === null) return
  const reason = refused(modelOf(uid))
  if (reason === null) {
    const rules = linked(modelOf(uid)) === everything ? null : rulesOn(modelOf(uid), 'linked')
    if (rules !== null) tell({ path, type: uid, reason: 'rows', missing: 'entries', rules })
    return
  }
  const rules: readonly string[] = []
  tell({ path, type: uid, reason, missing, rules })
  const names = target.op === 'pending' ? target.named() : []
  for (const name of names) tell({ path: `${path}.${name}`, type: null, reason: 'above', missing, rules })
}

/** Unreadable targets are left out, and only operators learn it. A field without readable targets is absent. */
function permitBranch(branch: Branch, pruning: Pruning, above: string): Branch<never> | null {
  const path = above + branch.field.name
  const kept = [...branch.targets].filter(([uid]) => pruning.readable(pruning.modelOf(uid)))
  const isGone = kept.length === 0 && branch.targets.size > 0
  for (const [uid, target] of branch.targets) {
    reportRemoval(uid, target, path, isGone ? 'attribute' : 'entries', pruning)
  }
  if (isGone) return null
  const linked = linkedTypes(branch.field)
  const targets = new Map<Uid, Level<never>>()
  for (const [uid, target] of kept) {
    if (!linked.includes(uid)) continue
    const level = target.op === 'pending' ? target.level(pruning.spend) : target
    const permitted = permitLevel(level, pruning.linked(level.model), pruning, `${path}.`)
    // The order of such a list is fixed, but its sort still needs rights.
    targets.set(uid, standsAsPut(branch.field) ? { ...permitted, order: [] } : permitted)
  }
  return { ...branch, targets }
}

function reportUnshown(
  { model, wildcards: { fields, populate }, columns, branches }: Level,
  { tell, modelOf, rulesOn }: Pruning,
  above: string,
): void {
  const whole = modelOf(model.uid)
  if (tell === null || whole === model) return
  const rules = rulesOn(whole, above === '' ? 'asked' : 'linked')
  const report = (name: string, missing: Removal['missing']): void => {
    tell({ path: above + name, type: null, reason: 'fields', missing, rules })
  }
  const gone = [
    ...(fields ? [...whole.columns.keys()].filter((name) => !model.columns.has(name)) : []),
    ...(populate ? [...whole.links.keys()].filter((name) => !model.links.has(name)) : []),
  ]
  for (const name of gone) report(name, 'attribute')
  for (const { name, shownIn } of [...columns, ...branches.map(({ field }) => field)]) {
    if (shownIn !== undefined) report(name, 'attribute of some entries')
  }
}

/** `seen`: the visible rows of the level's type. `above`: the names above, each followed by a dot. */
export function permitLevel(
  level: Level,
  seen: Condition<never>,
  pruning: Pruning,
  above: string,
): Level<never> {
  for (const { name } of level.leftOut) {
    pruning.tell?.({ path: above + name, type: null, reason: 'keys', missing: 'attribute', rules: [] })
  }
  reportUnshown(level, pruning, above)
  const branches: Branch<never>[] = []
  // A loop, because nested callbacks would take three times the stack per level.
  for (const branch of level.branches) {
    const permitted = permitBranch(branch, pruning, above)
    if (permitted !== null) branches.push(permitted)
  }
  const words = [...level.columns, ...branches.map(({ field }) => field)].map(({ shownIn }) => shownIn)
  const partly = new Set(words.filter((word) => word !== undefined))
  return {
    ...level,
    model: pruning.modelOf(level.model.uid),
    wildcards: { fields: false, populate: false },
    leftOut: [],
    where: bothOf(permitCondition(level.where, pruning), seen),
    isRuled: seen !== everything,
    order: level.order.map((order) => permitOrder(order, pruning)),
    branches,
    partly: [...partly].map((shownIn) => ({ shownIn, where: pruning.showing(shownIn) })),
  }
}

const comparing: readonly string[] = ['modified', 'unmodified']

/** The filter compares `updatedAt` of both versions, so that it needs the right to see them. */
export function checkModified({ root }: Pick<Plan, 'root'>, grants: Grants, action: ReadAction): void {
  const compares = partsOf(root.where, 'and').some(
    (part) => part.op === 'version' && part.draftIsNewer !== null,
  )
  if (!compares || showsAlways(grants, root.model, 'updatedAt', [action, 'find', 'drafts'])) return
  throw wrongPublicationFilter(publicationFilters.filter((name) => !comparing.includes(name)))
}

/** `granted`: roles with a grant for drafts. `open`: all roles that may find the type. */
export type DraftRule = 'granted' | 'open'

/** Null: no grant is missing. */
type MissingGrant = 'find' | 'drafts' | null
const draftsAllowed = (grants: Grants, rule: DraftRule, model: Model): boolean =>
  rule === 'open' || !model.draftAndPublish || grants.may(model, 'drafts')

export function refusingWith(
  grants: Grants,
  rule: DraftRule,
  status: PublicationStatus,
): (model: Model) => MissingGrant {
  return (model) => {
    // Components belong to their entry, and files are open wherever they are linked.
    if (model.kind === 'component' || model.open) return null
    if (!grants.may(model, 'find')) return 'find'
    return status === 'draft' && !draftsAllowed(grants, rule, model) ? 'drafts' : null
  }
}

/** Filters by modification reveal drafts. */
export function checkDrafts(
  plan: Pick<Plan, 'root' | 'status' | 'tellsOfDrafts'>,
  grants: Grants,
  rule: DraftRule,
): void {
  const revealsDrafts = plan.status === 'draft' || plan.tellsOfDrafts
  if (revealsDrafts && !draftsAllowed(grants, rule, plan.root.model)) throw forbidden()
}

/** Compares columns of the rows alone, without a rule. */
export const isOfColumns = (condition: Condition<never>): boolean =>
  condition.op === 'test' ||
  ((condition.op === 'and' || condition.op === 'or') && condition.of.every(isOfColumns))

interface Permitting extends Pick<VisibleRows, 'asked' | 'otherVersion' | 'showing'> {
  readonly readable: (model: Model) => boolean
  /** The step with the visible rows of its target. */
  readonly follow: (step: Step) => Step
}

/** A condition on a partly shown attribute holds only for rows that show it. */
const whereShown = (
  { shownIn }: { readonly shownIn?: string },
  met: Condition<never>,
  { showing }: Permitting,
): Condition<never> => (shownIn === undefined ? met : { op: 'and', of: [showing(shownIn), met] })

export const bothOf = (one: Condition<never>, other: Condition<never>): Condition<never> => {
  if (other === everything) return one
  return one === everything ? other : { op: 'and', of: [one, other] }
}

/** The error of an unknown name hides that the type exists. */
function refuseStep(step: Step, { readable }: Permitting): void {
  if (!readable(step.target)) throw unknownKey(step.path, step.field.name)
}

/** A link without readable targets is unknown. */
function readableSteps(steps: readonly Step[], permitting: Permitting): readonly Step[] {
  const kept = steps.filter(({ target }) => permitting.readable(target))
  const [first] = steps
  if (kept.length === 0 && first !== undefined) refuseStep(first, permitting)
  return kept
}

/** Entries of unreadable types are ignored, and their names are unknown. */
function permitLinked(condition: LinkedEntries, permitting: Permitting): LinkedEntries<never> {
  const { ways, named, count } = condition
  const steps = ways.map(({ step }) => step)
  const kept = new Set(readableSteps(steps, permitting))
  for (const one of named) {
    if (one.op === 'fault') throw one.error
    if (!permitting.readable(one.target)) throw unknownKey(one.path, one.target.uid)
  }
  const followed = ways.flatMap(({ step, of }) =>
    kept.has(step) ? { step: permitting.follow(step), of: permitCondition(of, permitting) } : [],
  )
  const counted = count === null ? null : permitCondition(count, permitting)
  return { ...condition, ways: followed, named: [], count: counted }
}

function permitCondition(condition: Condition, permitting: Permitting): Condition<never> {
  switch (condition.op) {
    case 'fault':
      throw condition.error
    case 'and':
    case 'or':
      return { op: condition.op, of: condition.of.map((part) => permitCondition(part, permitting)) }
    case 'some': {
      const { step, of } = condition
      refuseStep(step, permitting)
      const met = { ...condition, step: permitting.follow(step), of: permitCondition(of, permitting) }
      return whereShown(step.field, met, permitting)
    }
    case 'ruled':
    case 'not':
      return { ...condition, of: permitCondition(condition.of, permitting) }
    case 'linked':
      return whereShown(condition.field, permitLinked(condition, permitting), permitting)
    case 'not in locales':
      return { ...condition, visible: bothOf(condition.visible, permitting.asked) }
    case 'version':
      return { ...condition, visible: bothOf(condition.visible, permitting.otherVersion) }
    case 'test':
      return whereShown(condition.column, condition, permitting)
    case 'written':
      return condition.columns.reduce<Condition<never>>(
        (met, column) => whereShown(column, met, permitting),
        condition,
      )
  }
}

/** Rules of the host may use all types and rows. */
const ofRule: Permitting = {
  readable: () => true,
  follow: (step) => step,
  asked: everything,
  otherVersion: everything,
  showing: () => everything,
}

export const conditionOfRule = (condition: Condition): Condition<never> => permitCondition(condition, ofRule)

export function permitOrder(order: Order, permitting: Pruning): Order<never> {
  for (const step of order.steps) refuseStep(step, permitting)
  const { column, counted } = order
  if ('op' in column) throw column.error
  const steps = order.steps.map(permitting.follow)
  if (order.scores !== undefined) {
    const scores = order.scores.map((one) => ({ ...one, where: permitCondition(one.where, permitting) }))
    return { ...order, steps, counted: null, column, scores }
  }
  if (counted === null) return { ...order, steps, counted, column }
  const ways = readableSteps(counted.steps, permitting).map(permitting.follow)
  return { ...order, steps, counted: { model: permitting.modelOf(counted.model.uid), steps: ways }, column }
}
