import type { ReadAction } from '../config'
import type { RoutesPlace } from './routes-reading'

/** Koa's router takes `:any` and `(a|b)s` for what stands there. */
const isPattern = (part: string): boolean => /[:()*+?{\\]/.test(part)

/** It may stand for nothing, or for more than one part. */
const isOpen = (part: string): boolean => /[()*+?{\\]/.test(part)

/** Whether a pattern may stand for a name: `(a|b)s` for whatever, `note(.*)` for what begins like that. */
function mayBe(part: string, name: string): boolean {
  const [head = ''] = /^[^:()*+?{\\]*(?![*+?])/.exec(part) ?? []
  return isPattern(part) && name.toLowerCase().startsWith(head.toLowerCase())
}

const isNamed = (part: string, name: string): boolean => part.toLowerCase() === name.toLowerCase()

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '')

/** Which reads of a type a route may answer: `/notes` and `/notes/:id`, in whichever case. */
export function readsAt(path: string, { type, mayComeFirst }: RoutesPlace): readonly ReadAction[] {
  const [first, second, ...others] = partsOf(path)
  if (first === undefined) return []
  if (!isNamed(first, type.route) && !(mayBe(first, type.route) && mayComeFirst)) return []
  if (second === undefined) return isOpen(first) ? ['find', 'findOne'] : ['find']
  if (!isPattern(second) || !others.every(isOpen)) return []
  return [first, second].some(isOpen) ? ['find', 'findOne'] : ['findOne']
}

/** It may answer for some of the names that it could stand for, and leave others. */
export const isPartial = (path: string): boolean => partsOf(path).some(isOpen)

/** Whether that is just where the core route of a read stands. */
export function isCorePath(path: string, action: ReadAction, route: string): boolean {
  const [first = '', second, ...others] = partsOf(path)
  if (!isNamed(first, route) || others.length > 0) return false
  return action === 'find' ? second === undefined : second !== undefined && /^:\w+$/.test(second)
}
