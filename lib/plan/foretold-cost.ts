import { LimitError } from '../errors'
import type { Column, Model } from '../schema'
import type { Condition, CountedLink, Level, LinkedEntries, Order, Page, Plan, Step } from './level'
import { areWaysFew } from './make-orders'
import { timesOfPage } from './page-in'
import { linksInARow, mergeSets } from './merge-sets'
import { costOfTest, ofTexts, sigmaIn, unusualLetters } from './cost-of-test'

/**
 * Smaller tables cost their share of it. Larger ones do not cost more: what is let through today is not refused for the
 * number of its entries next year, and `timeout` ends what takes long.
 */
const measuredAmong = 20_000

/**
 * A link of a condition is a set that is worked out over the whole of a table. One or two in a row are left to the
 * optimizers, which are quick where a condition leaves few and slow where it leaves most. More are worked out link by
 * link; a list whose entries are in many others has several links for each entry.
 */
const ofNearLinks = { toOne: 110, toMany: 110, shared: 145, media: 500 } as const
const ofFarLinks = { toOne: 47, toMany: 47, shared: 75, media: 500, sameType: 55 } as const

/** From how many in a row on all databases work them out link by link. */
const farFrom = 3

/**
 * However small the tables are, each link is one more to plan, which takes MySQL the longest: up to 40 for those of long
 * chains among the entries of one type, which cost no less in small tables for that.
 */
const leastOfLink = 20

/** What links lead to is counted for each row that they start from. */
const timesGrouped = 2

const ofSorts = { link: 95, media: 160, listInTurn: 650 } as const

/** The other version of an entry is looked up by its document. */
const ofVersion = 20

/** `_q` looks for one word in all attributes, and must not depend on their number. */
const ofOneWord = 600

/** What stands behind a link is looked at in drafts, too, before these are left out. */
const timesBehind = 2

type Some = Extract<Condition<never>, { op: 'some' }>

/** What one word in many attributes costs at most. Of one attribute that is asked for it time and again, each time counts. */
function mostOf(parts: readonly Condition<never>[]): number {
  const words = new Set<string>()
  const columns = new Set<Column>()
  for (const part of parts) {
    if (part.op !== 'test' || part.test.is !== 'text' || !part.test.ignoreCase) return Infinity
    words.add(part.test.value)
    columns.add(part.column)
  }
  const [word] = words
  if (word === undefined || words.size > 1 || columns.size < parts.length) return Infinity
  return ofOneWord * sigmaIn(word) + unusualLetters(word) * ofTexts.pages.letter
}

/** How much of what is foretold a table of this name costs. */
type ShareOf = (table: string) => number

interface Ordered {
  /** Of which type the rows are. */
  readonly model: Model
  readonly shareOf: ShareOf
}

/** Where a condition stands: behind a link, and behind one of a chain that is worked out link by link. */
interface Place extends Ordered {
  readonly isBehind: boolean
  readonly isFar: boolean
}

/** A link costs as the largest of the tables that it goes through. */
function shareOfLink({ field: { link }, target }: Step, { model, shareOf }: Ordered): number {
  const own = Math.max(shareOf(model.table), shareOf(target.table))
  return 'table' in link ? Math.max(own, shareOf(link.table)) : own
}

/** Among the entries of one type all links are long lists. */
function costOfLink(step: Step, { isFar, isBehind, model }: Place): number {
  const { role, many, shared } = step.field
  const ofLinks = isFar ? ofFarLinks : ofNearLinks
  if (role === 'media') return ofLinks.media
  if (isFar && !shared && isBehind && model === step.target) return ofFarLinks.sameType
  if (!many) return ofLinks.toOne
  return shared ? ofLinks.shared : ofLinks.toMany
}

function costOfSome(some: Some, standing: Place): number {
  const { step, of } = some
  const isFar = standing.isFar || 1 + linksInARow(of, farFrom) >= farFrom
  const share = shareOfLink(step, standing)
  const asLarge = costOfLink(step, { ...standing, isFar })
  const link = asLarge === ofFarLinks.sameType ? asLarge : Math.max(leastOfLink, asLarge * share)
  return link + costOfCondition(of, { ...standing, isBehind: true, isFar, model: step.target })
}

/** One set for each type that the link leads to, which is worked out by itself. */
function costOfLinked({ ways, count }: LinkedEntries<never>, standing: Place): number {
  const grouping = count === null ? 1 : timesGrouped
  return ways.reduce((sum, { step, of }) => {
    const link = costOfLink(step, { ...standing, isFar: false }) * shareOfLink(step, standing) * grouping
    const inside = costOfCondition(of, { ...standing, isBehind: true, isFar: false, model: step.target })
    return sum + Math.max(leastOfLink, link) + inside
  }, 0)
}

/** As much as the dearest: what a role may ask, whoever has another besides may ask as well. */
function costOfRules(rules: Condition<never>, standing: Place): number {
  if (rules.op === 'or') return Math.max(0, ...rules.of.map((one) => costOfRules(one, standing)))
  if (rules.op !== 'and') return costOfCondition(rules, standing)
  return rules.of.reduce((sum, one) => sum + costOfRules(one, standing), 0)
}

function costOfCondition(condition: Condition<never>, standing: Place): number {
  const share = standing.shareOf(standing.model.table)
  const times = share * (standing.isBehind ? timesBehind : 1)
  switch (condition.op) {
    case 'and':
    case 'or': {
      const all = condition.of.reduce((sum, part) => sum + costOfCondition(part, standing), 0)
      return Math.min(all, mostOf(condition.of) * times)
    }
    case 'test':
      return costOfTest(condition) * times
    case 'ruled':
      return costOfRules(condition.of, standing)
    case 'some':
      return costOfSome(condition, standing)
    case 'linked':
      return costOfLinked(condition, standing)
    case 'version':
    case 'not in locales':
      return ofVersion * share
  }
}

/** For each entry the first of its list is looked up in turn, where there are not more ways than entries in lists. */
function isListInTurn([first, ...rest]: readonly Step[]): boolean {
  return first?.field.many === true && rest.length < 2 && !rest.some(({ field }) => field.many)
}

/** Every list is put in order by its own ids at last. */
function costOfCounted({ model, steps }: CountedLink, shareOf: ShareOf): number {
  return steps.reduce((sum, step) => {
    const link = step.field.role === 'media' ? ofSorts.media : ofSorts.link
    return sum + Math.max(leastOfLink, link * timesGrouped * shareOfLink(step, { model, shareOf }))
  }, 0)
}

function costOfOrder({ steps, counted, column }: Order<never>, { model, shareOf }: Ordered): number {
  if (counted === null && steps.length === 0 && column.type === 'id') return 0
  const from = [model, ...steps.map(({ target }) => target)]
  const shares = steps.map((step, index) => shareOfLink(step, { model: from[index] ?? model, shareOf }))
  const links = steps.map(({ field }, index) => {
    const link = field.role === 'media' ? ofSorts.media : ofSorts.link
    return Math.max(leastOfLink, link * (shares[index] ?? 1))
  })
  const share = Math.max(shareOf(model.table), ...shares)
  const key = ofTexts[column.extent].sorting * (steps.length > 0 ? timesBehind : 1)
  const count = counted === null ? 0 : costOfCounted(counted, shareOf)
  const inTurn = counted === null && isListInTurn(steps) ? ofSorts.listInTurn : 0
  return links.reduce((sum, link) => sum + link, (key + inTurn) * share + count)
}

function costOfList(
  { model, where, order, branches }: Level<never>,
  page: Page | null,
  shareOf: ShareOf,
): number {
  const times = timesOfPage(page)
  const standing = { isBehind: false, isFar: false, model, shareOf }
  const costs = [
    times.where * costOfCondition(mergeSets(where), standing),
    ...order.map((key) => costOfOrder(key, standing) * (areWaysFew(key) ? 1 : times.order)),
    ...branches.flatMap(({ targets, page }) =>
      [...targets.values()].map((level) => costOfList(level, page, shareOf)),
    ),
  ]
  return costs.reduce((sum, cost) => sum + cost, 0)
}

/** How many rows a table holds, about. */
export type RowsOf = (table: string) => number

type Costing = Pick<Plan<never>, 'root' | 'page'>

export const foretoldCost = ({ root, page }: Costing, rowsOf: RowsOf): number =>
  Math.ceil(costOfList(root, page, (table) => Math.min(1, rowsOf(table) / measuredAmong)))

/**
 * Refuses what would take the database long, before it is asked. Of a plan that is permitted, so that what it costs tells
 * nothing of what the role may not read.
 */
export function checkForetoldCost(plan: Costing, most: number, rowsOf: RowsOf): void {
  const cost = foretoldCost(plan, rowsOf)
  if (cost <= most) return
  throw new LimitError(
    'maxCost',
    [],
    `The query would cost ${String(cost)}, more than ${String(most)}: ask for fewer links and comparisons in filters and sorts`,
  )
}
