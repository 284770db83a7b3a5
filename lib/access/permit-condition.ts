import { unknownKey, forbidden } from '../errors'
import {
  type Condition,
  everything,
  type FaultBehindLink,
  type LinkedEntries,
  type Order,
  type Step,
  type Plan,
  partsOf,
} from '../plan'
import type { Model, Uid } from '../schema'
import { once } from '../memory'
import { type PublicationStatus, publicationFilters, wrongPublicationFilter } from '../query'
import type { Grants } from './grants'
import { showsAlways } from './role-schema'

const comparing: readonly string[] = ['modified', 'unmodified']

/** The filter compares `updatedAt` of both versions, so that it needs the right to see them. */
export function checkModified(
  { root }: Pick<Plan, 'root'>,
  grants: Grants,
  action: 'find' | 'findOne',
): void {
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
/** Components belong to their entry, and files are open wherever they are linked. */
const needsNoGrant = (model: Model): boolean => model.kind === 'component' || model.open

const draftsAllowed = (grants: Grants, rule: DraftRule, model: Model): boolean =>
  rule === 'open' || !model.draftAndPublish || grants.may(model, 'drafts')

function refusal(grants: Grants, rule: DraftRule, status: PublicationStatus, model: Model): MissingGrant {
  if (needsNoGrant(model)) return null
  if (!grants.may(model, 'find')) return 'find'
  return status === 'draft' && !draftsAllowed(grants, rule, model) ? 'drafts' : null
}

export function refusingWith(
  grants: Grants,
  rule: DraftRule,
  status: PublicationStatus,
): (model: Model) => MissingGrant {
  const known = new Map<Uid, MissingGrant>()
  return (model) => once(known, model.uid, () => refusal(grants, rule, status, model))
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

export interface Permitting {
  readonly readable: (model: Model) => boolean
  /** The step with the visible rows of its target. */
  readonly follow: (step: Step) => Step
  readonly asked: Condition<never>
  readonly otherVersion: Condition<never>
  readonly showing: (shownIn: string) => Condition<never>
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
function permitLinked(
  condition: LinkedEntries<FaultBehindLink>,
  permitting: Permitting,
): LinkedEntries<never> {
  const { ways, named, count } = condition
  const kept = new Set(
    readableSteps(
      ways.map(({ step }) => step),
      permitting,
    ),
  )
  for (const one of named) {
    if (one.op === 'fault') throw one.error
    if (!permitting.readable(one.target)) throw unknownKey(one.path, one.target.uid)
  }
  return {
    ...condition,
    ways: ways
      .filter(({ step }) => kept.has(step))
      .map(({ step, of }) => ({ step: permitting.follow(step), of: permitCondition(of, permitting) })),
    named: [],
    count: count === null ? null : permitCondition(count, permitting),
  }
}

export function permitCondition(
  condition: Condition<FaultBehindLink>,
  permitting: Permitting,
): Condition<never> {
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
      return { ...condition, of: permitCondition(condition.of, permitting) }
    case 'linked':
      return whereShown(condition.field, permitLinked(condition, permitting), permitting)
    case 'not in locales':
      return { ...condition, visible: bothOf(condition.visible, permitting.asked) }
    case 'version':
      return { ...condition, visible: bothOf(condition.visible, permitting.otherVersion) }
    case 'test':
      return whereShown(condition.column, condition, permitting)
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

export const conditionOfRule = (condition: Condition<FaultBehindLink>): Condition<never> =>
  permitCondition(condition, ofRule)

export interface PermittingOrders extends Permitting {
  readonly modelOf: (uid: Uid) => Model
}

export function permitOrder(order: Order<FaultBehindLink>, permitting: PermittingOrders): Order<never> {
  for (const step of order.steps) refuseStep(step, permitting)
  const { column, counted } = order
  if ('op' in column) throw column.error
  const steps = order.steps.map(permitting.follow)
  if (counted === null) return { ...order, steps, counted, column }
  const ways = readableSteps(counted.steps, permitting).map(permitting.follow)
  return { ...order, steps, counted: { model: permitting.modelOf(counted.model.uid), steps: ways }, column }
}
