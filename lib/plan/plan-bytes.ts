import type { Branch, Condition, Level, Page, Plan } from './level'

/**
 * Bytes that the parts of a plan take, and their SQL and all that writes them once they are compiled: found by weighing
 * the heap, and rounded up. MySQL's take most, which are asked for each value twice. `spec/slow/plan-memory` weighs it anew.
 */
const bytes = {
  plan: { level: 2500, column: 20, condition: 300, value: 50 },
  compiled: { level: 6000, column: 100, condition: 600, value: 560 },
} as const

/** As many conditions as what leads to one through a link takes. */
const linkIs = 7

/** Each of the locales before a row's own is compared by itself. */
const localeIs = 3

/** The page itself can be read in several ways. */
const bytesOfPage = 18_000

type BytesOfParts = (typeof bytes)['plan' | 'compiled']

const bytesOfValue = (value: unknown, { value: own }: BytesOfParts): number =>
  own + (typeof value === 'string' ? 2 * value.length : 0)

function bytesOfCondition(condition: Condition<never>, each: BytesOfParts): number {
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.of.reduce<number>((sum, part) => sum + bytesOfCondition(part, each), each.condition)
    case 'test': {
      const values = Object.values(condition.test).flat() as unknown[]
      return values.reduce<number>((sum, value) => sum + bytesOfValue(value, each), each.condition)
    }
    case 'some':
      return linkIs * each.condition + bytesOfCondition(condition.of, each)
    case 'linked':
      return condition.ways.reduce<number>(
        (sum, { of }) => sum + linkIs * each.condition + bytesOfCondition(of, each),
        each.condition + (condition.count === null ? 0 : bytesOfCondition(condition.count, each)),
      )
    case 'ruled':
      return each.condition + bytesOfCondition(condition.of, each)
    case 'version':
      return each.condition
    case 'not in locales':
      return condition.locales.reduce<number>(
        (sum, locale) => sum + localeIs * each.condition + bytesOfValue(locale, each),
        linkIs * each.condition,
      )
  }
}

/** What a cursor holds is compared three times, for its page and for what lies on its other side. */
const cursorIs = 8

function bytesOfPlace(page: Page | null, each: BytesOfParts): number {
  if (page?.by !== 'cursor' || page.from === null) return 0
  return page.from.keys.reduce<number>(
    (sum, key) => sum + cursorIs * each.condition + bytesOfValue(key?.value, each),
    cursorIs * each.condition,
  )
}

/** What lies on the other side of a cursor is put in order as well. */
const timesSorted = 4

/** Without what lies below. */
function bytesOfLevel(
  { columns, where, order, partly }: Level<never>,
  page: Page | null,
  each: BytesOfParts,
): number {
  const sorted = order.reduce<number>(
    (sum, { steps, counted }) =>
      sum + each.condition * (1 + linkIs * (steps.length + (counted?.steps.length ?? 0))),
    0,
  )
  const times = page?.by === 'cursor' && page.from !== null ? timesSorted : 1
  const shown = partly.reduce((sum, one) => sum + each.column + bytesOfCondition(one.where, each), 0)
  const own = each.level + each.column * columns.length + bytesOfCondition(where, each)
  return own + shown + sorted * times
}

function sumBelow(branches: readonly Branch<never>[], each: BytesOfParts): number {
  const below = branches.flatMap(({ targets }) => [...targets.values()])
  return below.reduce<number>(
    (sum, level) => sum + bytesOfLevel(level, null, each) + sumBelow(level.branches, each),
    0,
  )
}

/** About what takes the memory that what hangs on a page takes, compiled. */
export const bytesBelow = (branches: readonly Branch<never>[]): number =>
  sumBelow(branches, bytes.plan) + sumBelow(branches, bytes.compiled)

/** The same for a plan whose page alone is compiled. */
export const bytesOfPlan = ({ root, page }: Pick<Plan<never>, 'root' | 'page'>): number =>
  bytesOfPage +
  bytesOfPlace(page, bytes.plan) +
  bytesOfPlace(page, bytes.compiled) +
  bytesOfLevel(root, page, bytes.plan) +
  bytesOfLevel(root, page, bytes.compiled) +
  sumBelow(root.branches, bytes.plan)
