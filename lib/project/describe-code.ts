import type { ReadAction } from '../config'
import type { TypeCode } from './project-code'

/** Some of a type's reads, by their names where it is not all of them. */
const named = (some: readonly ReadAction[], { reads }: TypeCode): string =>
  some.length === reads.length ? '' : ` ${some.join(', ')}`

/** One line for a person: what a project runs where a type is read. */
export function describeCode(code: TypeCode): string {
  const { uid, files, guarded, unrouted, replaced } = code
  const which = named(guarded, code)
  const notes = [
    ...(guarded.length > 0 ? [`may refuse who asks${which === '' ? '' : ` for${which}`}`] : []),
    ...(unrouted.length > 0 ? [`the project does not route ${named(unrouted, code).trim() || 'it'}`] : []),
    ...(replaced.length > 0 ? [`other routes answer ${replaced.join(', ')}`] : []),
  ]
  if (files.length === 0) return `${uid}: ${notes.join(', ')}`
  return `${uid}: ${files.join(', ')}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
}
