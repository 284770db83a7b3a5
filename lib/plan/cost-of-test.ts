import type { Extent } from '../schema'
import type { Condition } from './level'
import { hasSigma } from './sigma'

/**
 * What each thing costs among as many entries, in milliseconds of CPU on the slowest of the databases, about: measured by
 * `npm run bench -- --dearest`, and rounded up. Each text is looked at as a whole, so how much it holds decides.
 */
export const ofTexts = {
  line: { comparing: 1, ordering: 2, containing: 6, ending: 2, folding: 35, sorting: 15, letter: 0.2 },
  paragraph: { comparing: 1, ordering: 15, containing: 20, ending: 10, folding: 50, sorting: 30, letter: 1 },
  pages: { comparing: 1, ordering: 110, containing: 190, ending: 110, folding: 510, sorting: 600, letter: 6 },
} as const satisfies Readonly<Record<Extent, object>>

/**
 * Databases compare a part at every place of a text, and where the text repeats itself nearly all of the part each time: so
 * every letter of it counts that is beyond what one looks for as a rule.
 */
const usualLetters = 32

export const unusualLetters = ({ length }: string): number => Math.max(0, length - usualLetters)

/** Both forms of a sigma are to be found. */
const timesSigma = 1.5

/** SQLite has no other way to the end of a text than to measure it first. */
const timesEnd = 2

type Tested = Extract<Condition<never>, { op: 'test' }>

export const sigmaIn = (wanted: unknown): number =>
  typeof wanted === 'string' && hasSigma(wanted) ? timesSigma : 1

export function costOfTest({ column, test }: Tested): number {
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
