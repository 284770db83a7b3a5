import type { QueryPath } from '../errors'
import { type LinkField, modelOf } from '../schema'
import { linkAsStrapi } from './as-strapi'
import type { Step } from './level'
import { type Planning, visible } from './planning'

/** Whether what it leads to is told apart by its type: a condition names the types that it is about. */
export const isMixed = ({ role }: LinkField): boolean => role === 'zone' || role === 'morph'

/** A link followed to each of the types that it may lead to. */
export const linkedSteps = (planning: Planning, field: LinkField, path: QueryPath): readonly Step[] =>
  field.targets.map((uid) => {
    const target = modelOf(planning.schema, uid)
    return { field: linkAsStrapi(planning, field), target, visible: visible(target, planning.status), path }
  })
