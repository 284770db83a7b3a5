import type { Listed, ThereAreOnly, ThisTakes } from './content-registry'
import type { Given } from './content-query'
import type { Fitting } from './exact'

/** A page is by its number, by how many come before, or by a cursor. */
interface NotBeside {
  readonly page: 'start' | 'limit' | 'after' | 'before'
  readonly pageSize: 'start' | 'limit'
  readonly start: 'page' | 'pageSize' | 'after' | 'before'
  readonly limit: 'page' | 'pageSize' | 'after' | 'before'
  readonly after: 'page' | 'start' | 'limit' | 'before'
  readonly before: 'page' | 'start' | 'limit' | 'after'
  readonly withCount: never
}

/** What is asked of a page itself where its names are there, and go together; else, at each that does not, what does. */
export type ValidPage<P, Asked> = P extends object
  ? ValidPageParts<P, Asked, Given<P>>
  : Fitting<P, Asked | undefined>

type ValidPageParts<P, Asked, Names> = {
  readonly [K in keyof P]: K extends keyof Asked & keyof NotBeside
    ? [K & Names, NotBeside[K] & Names] extends [never, unknown] | [unknown, never]
      ? Fitting<P[K], Asked[K]>
      : ThisTakes<{ 'its place without': NotBeside[K] }>
    : ThereAreOnly<Listed<Asked>>
}
