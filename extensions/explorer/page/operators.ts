import { isCompareOperator, type Operator, operators } from '../../../lib/operators'

/** Undefined for unknown names. */
export const operatorNamed = (name: string): Operator | undefined =>
  isCompareOperator(name) ? operators[name] : undefined

export const operatorInWords = (name: string): string => operatorNamed(name)?.meaning ?? name

export const takesText = (name: string): boolean => operatorNamed(name)?.value === 'text'

export const takesTruth = (name: string): boolean => operatorNamed(name)?.value === 'truth'
