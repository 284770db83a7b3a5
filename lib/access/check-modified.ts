import { partsOf, type Plan } from '../plan'
import { publicationFilters, wrongPublicationFilter } from '../query'
import type { Grants } from './grants'
import { showsAlways } from './role-schema'

const comparing: readonly string[] = ['modified', 'unmodified']

/** Whether an entry was modified is told by when it and its other version were changed: to who sees that of neither, there is no such filter. */
export function checkModified(
  { root }: Pick<Plan, 'root'>,
  grants: Grants,
  action: 'find' | 'findOne',
): void {
  const compares = partsOf(root.where, 'and').some(
    (part) => part.op === 'version' && part.draftIsNewer !== null,
  )
  if (!compares || showsAlways(grants, root.model, 'updatedAt', [action, 'find', 'drafts'])) return
  throw wrongPublicationFilter(publicationFilters.filter((name) => !comparing.includes(name)))
}
