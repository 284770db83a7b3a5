import { malformed } from '../errors'
import type { Column, Extent, Model } from '../schema'
import type { Condition, Level, Order, Plan, Step } from './level'
import { hasSigma } from './sigma'
import { linksInARow, mergeSets } from './merge-sets'

/**
 * What each thing costs among 20,000 entries, in milliseconds of CPU on the slowest of the databases, about: measured by
 * `npm run bench -- --dearest`, and rounded up. Each text is looked at as a whole, so how much it holds decides.
 */
const ofTexts = {
  line: { comparing: 1, ordering: 2, containing: 6, ending: 2, folding: 35, sorting: 15, letter: 0.2 },
  paragraph: { comparing: 1, ordering: 15, containing: 20, ending: 10, folding: 50, sorting: 30, letter: 1 },
  pages: { comparing: 1, ordering: 110, containing: 190, ending: 110, folding: 510, sorting: 600, letter: 6 },
} as const satisfies Readonly<Record<Extent, object>>

/**
 * Databases compare a part at every place of a text, and where the text repeats itself nearly all of the part each time: so
 * every letter of it counts that is beyond what one looks for as a rule.
 */
const usualLetters = 32

const unusualLetters = ({ length }: string): number => Math.max(0, length - usualLetters)

/** Both forms of a sigma are to be found. */
const timesSigma = 1.5

/** SQLite has no other way to the end of a text than to measure it first. */
const timesEnd = 2

/**
 * A link of a condition is a set that is worked out over the whole of a table. One or two in a row are left to the
 * optimizers, which are quick where a condition leaves few and slow where it leaves most. More are worked out link by
 * link; a list whose entries are in many others has several links for each entry.
 */
const ofNearLinks = { toOne: 110, toMany: 110, shared: 145, media: 500 } as const
const ofFarLinks = { toOne: 47, toMany: 47, shared: 75, media: 500, sameType: 55 } as const

/** From how many in a row on all databases work them out link by link. */
const farFrom = 3

const ofSorts = { link: 95, media: 160, listInTurn: 650 } as const

/** The other version of an entry is looked up by its document. */
const ofVersion = 20

/** `_q` looks for one word in all attributes, and must not depend on their number. */
const ofOneWord = 600

/** What stands behind a link is looked at in drafts, too, before these are left out. */
const timesBehind = 2

type Tested = Extract<Condition<never>, { op: 'test' }>

const sigmaIn = (wanted: unknown): number => (typeof wanted === 'string' && hasSigma(wanted) ? timesSigma : 1)

function costOfTest({ column, test }: Tested): number {
  const cost = ofTexts[column.extent]
  switch (test.is) {
    case 'text': {
      const isEnd = test.place === 'end'
      const letters = test.place === 'anywhere' ? unusualLetters(test.value) * cost.letter : 0
      if (test.ignoreCase) return letters + cost.folding * sigmaIn(test.value) * (isEnd ? timesEnd : 1)
      return letters + cost.containing + (isEnd ? cost.ending : 0)
    }
    case 'equal':
      return test.ignoreCase ? cost.folding * sigmaIn(test.value) : cost.comparing
    case 'ordered':
    case 'between':
      return cost.ordering
    case 'superset':
      return cost.containing
    case 'within':
      return cost.comparing * test.values.length
    case 'null':
      return cost.comparing
  }
}

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

/** Where a condition stands: behind a link, and behind one of a chain that is worked out link by link. */
interface Place {
  readonly isBehind: boolean
  readonly isFar: boolean
  /** Of which type the rows are, where links have led to them: among those of one type all links are long lists. */
  readonly from: Model | null
}

const atRoot: Place = { isBehind: false, isFar: false, from: null }

function costOfLink({ field: { role, many, shared }, target }: Step, { isFar, from }: Place): number {
  const ofLinks = isFar ? ofFarLinks : ofNearLinks
  if (role === 'media') return ofLinks.media
  if (isFar && !shared && from === target) return ofFarLinks.sameType
  if (!many) return ofLinks.toOne
  return shared ? ofLinks.shared : ofLinks.toMany
}

function costOfSome({ step, of }: Extract<Condition<never>, { op: 'some' }>, standing: Place): number {
  const isFar = standing.isFar || 1 + linksInARow(of, farFrom) >= farFrom
  const behind = { isBehind: true, isFar, from: step.target }
  return costOfLink(step, { ...standing, isFar }) + costOfCondition(of, behind)
}

function costOfCondition(condition: Condition<never>, standing = atRoot): number {
  const times = standing.isBehind ? timesBehind : 1
  switch (condition.op) {
    case 'and':
    case 'or': {
      const all = condition.of.reduce((sum, part) => sum + costOfCondition(part, standing), 0)
      return Math.min(all, mostOf(condition.of) * times)
    }
    case 'test':
      return costOfTest(condition) * times
    case 'some':
      return costOfSome(condition, standing)
    case 'version':
      return ofVersion
  }
}

/** For each entry the first of its list is looked up in turn, where there are not more ways than entries in lists. */
function isListInTurn([first, ...rest]: readonly Step[]): boolean {
  return first?.field.many === true && rest.length < 2 && !rest.some(({ field }) => field.many)
}

/** Every list is put in order by its own ids at last. */
function costOfOrder({ steps, column }: Order<never>): number {
  if (steps.length === 0 && column.type === 'id') return 0
  const links = steps.map(({ field }) => (field.role === 'media' ? ofSorts.media : ofSorts.link))
  const key = ofTexts[column.extent].sorting * (steps.length > 0 ? timesBehind : 1)
  const inTurn = isListInTurn(steps) ? ofSorts.listInTurn : 0
  return links.reduce<number>((sum, link) => sum + link, key + inTurn)
}

function costOfLevel({ where, order, branches }: Level<never>): number {
  const below = branches.flatMap(({ targets }) => [...targets.values()])
  return (
    costOfCondition(mergeSets(where)) +
    order.reduce((sum, key) => sum + costOfOrder(key), 0) +
    below.reduce((sum, level) => sum + costOfLevel(level), 0)
  )
}

/**
 * Refuses what would take the database long, before it is asked. Of a plan that is permitted, so that what it costs tells
 * nothing of what the role may not read.
 */
export function checkForetoldCost({ root }: Pick<Plan<never>, 'root'>, most: number): void {
  const cost = costOfLevel(root)
  if (cost <= most) return
  const [foretold, limit] = [String(Math.ceil(cost)), String(most)]
  throw malformed(
    [],
    `The query would cost ${foretold}, more than ${limit}: ask for fewer links and comparisons in filters and sorts; the option query.maxCost raises this`,
  )
}
