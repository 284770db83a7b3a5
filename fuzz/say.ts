import { type Chance } from './chance'
import type { Known } from './types'
import { text } from './values'

export type Say = (chance: Chance, key: string, deep: number, type: Known) => string

export const sayValue = (chance: Chance, key: string, value: string): string => {
  const way = chance(120)
  if (way === 0) return key
  if (way === 1) return `${key}[]=${value}`
  if (way === 2) return `${key}[${String(chance(120))}]=${value}`
  if (way === 3) return `${key}[${text(chance)}]=${value}`
  return `${key}=${value}`
}

export const joined = (parts: readonly string[]): string => parts.join('&')

/** How often a list is written with more elements than any list may have. */
export function list(chance: Chance, key: string, make: () => string): string {
  const many = chance(2000) === 0 ? 150 : 1 + chance(4)
  return joined(
    Array.from({ length: many }, (_, at) => `${key}[${chance(2) === 0 ? String(at) : ''}]=${make()}`),
  )
}
