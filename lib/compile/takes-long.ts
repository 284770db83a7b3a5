import type { Condition, Test } from '../plan'

const isText = (test: Test): boolean => test.is === 'text' || (test.is === 'equal' && test.ignoreCase)

/** So many take no longer than the row itself. */
const fewParts = 10

/** Whether it takes long to find out of a row, or if there are many of it, in a time that matters. */
export function takesLong(condition: Condition<never>): boolean {
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.of.length > fewParts || condition.of.some(takesLong)
    case 'test':
      return isText(condition.test)
    case 'ruled':
      return takesLong(condition.of)
    case 'some':
    case 'linked':
    case 'version':
    case 'not in locales':
      return true
  }
}
