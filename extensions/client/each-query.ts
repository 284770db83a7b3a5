import type { ContentQuery, PageAsked } from './content-query'
import type { ContentRegistry } from './content-registry'

/** The start of a list that is read to its end. */
export type EachPage = Omit<PageAsked, 'start' | 'limit' | 'before'>

/** The query of a list that is read to its end. */
export interface EachQuery<C extends ContentRegistry<C>, T extends keyof C> extends Omit<
  ContentQuery<C, T>,
  'pagination'
> {
  readonly pagination?: EachPage
}
