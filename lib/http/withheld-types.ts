import type { Grants } from '../access'
import type { Logger } from '../config'
import type { Schema, Uid } from '../schema'
import type { Extension } from './extension'

interface ServedReads {
  readonly withheld: ReadonlySet<Uid>
}

/** Whether it is served, and granted. */
export const mayRead = (
  { withheld }: ServedReads,
  grants: Pick<Grants, 'may'>,
  ...[model, action]: Parameters<Grants['may']>
): boolean => !withheld.has(model.uid) && grants.may(model, action)

/** Types that an extension does not let the router serve, whatever the permissions grant. */
export const withheldTypes = (
  schema: Schema,
  extensions: readonly Extension[],
  logger: Logger,
): ReadonlySet<Uid> => new Set(extensions.flatMap(({ withholds }) => withholds?.(schema, logger) ?? []))
