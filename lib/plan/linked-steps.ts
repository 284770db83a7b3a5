import type { QueryPath } from '../errors'
import { type Column, type LinkField, modelOf } from '../schema'
import type { Step } from './level'
import { type Planning, unknownName, visible } from './planning'

/** Whether what it leads to is told apart by its type: a condition names the types that it is about. */
export const isMixed = ({ role }: LinkField): boolean => role === 'zone' || role === 'morph'

/** The attribute that leads to entries, and the names that may stand in its place. */
export interface AttributePlace {
  readonly planning: Planning
  readonly field: LinkField
  readonly path: QueryPath
  readonly others: Iterable<LinkField | Column>
}

/** A link followed to each of the types that it may lead to, one of which the role may read. */
export function linkedSteps({ planning, field, path, others }: AttributePlace): readonly Step[] {
  const targets = field.targets.map((uid) => modelOf(planning.schema, uid))
  if (targets.length > 0 && !targets.some(planning.isReadable))
    throw unknownName(planning, path, field.name, others)
  return targets.map((target) => ({ field, target, visible: visible(target, planning.status), path }))
}
