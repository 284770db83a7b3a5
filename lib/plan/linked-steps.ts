import type { QueryPath } from '../errors'
import { type Column, type LinkField, linkedTypes, modelOf } from '../schema'
import { linkAsStrapi } from './as-strapi'
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
  const { targets } = field
  if (targets.length > 0 && !targets.some((uid) => planning.isReadable(modelOf(planning.schema, uid))))
    throw unknownName(planning, path, field.name, others)
  const linked = linkedTypes(field).map((uid) => modelOf(planning.schema, uid))
  const own = linkAsStrapi(planning, field)
  return linked.map((target) => ({ field: own, target, visible: visible(target, planning.status), path }))
}
