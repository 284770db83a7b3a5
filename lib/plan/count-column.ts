import type { Column } from '../schema'
import type { Condition, FaultBehindLink, Test } from './level'

/** How many entries there are is compared as an integer attribute is. */
export const countColumn: Column = {
  name: '$count',
  column: '',
  type: 'integer',
  searchable: false,
  extent: 'line',
  identifies: false,
}

const inText = {
  start: (text: string, part: string) => text.startsWith(part),
  end: (text: string, part: string) => text.endsWith(part),
  anywhere: (text: string, part: string) => text.includes(part),
} as const

const signs = {
  '<': (value: number) => 0 < value,
  '<=': (value: number) => 0 <= value,
  '>': (value: number) => 0 > value,
  '>=': (value: number) => 0 >= value,
} as const

function meets(test: Test): boolean {
  switch (test.is) {
    case 'null':
    case 'superset':
      return false
    case 'equal':
      return Number(test.value) === 0
    case 'ordered':
      return signs[test.sign](Number(test.value))
    case 'within':
      return test.values.some((value) => Number(value) === 0)
    case 'between':
      return signs['>='](Number(test.from)) && signs['<='](Number(test.to))
    case 'text':
      return inText[test.place]('0', test.value)
  }
}

/**
 * Whether none at all is a number that meets the condition. Entries that lead nowhere are in no table of links: they are
 * found as those that are not among the others.
 */
export function isMetByNone(condition: Condition<FaultBehindLink>): boolean {
  switch (condition.op) {
    case 'and':
      return condition.of.every(isMetByNone)
    case 'or':
      return condition.of.some(isMetByNone)
    case 'test':
      return meets(condition.test) !== condition.negated
    case 'some':
    case 'linked':
    case 'ruled':
    case 'version':
    case 'not in locales':
    case 'fault':
      return false
  }
}
