import type { ContentQuery, PageAsked } from './content-query'
import type { ContentRegistry } from './content-registry'

/** Of a list that is read to its end: where it begins. */
export type EachPage = Omit<PageAsked, 'start' | 'limit' | 'before'>

/** What may be asked of a list that is read to its end. */
export interface EachQuery<C extends ContentRegistry<C>, T extends keyof C> extends Omit<
  ContentQuery<C, T>,
  'pagination'
> {
  readonly pagination?: EachPage
}
