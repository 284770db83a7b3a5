import type { ContentQuery, ContentRegistry, PageAsked } from '../../lib/typed'

/** Of a list that is read to its end: where it begins. */
export type EachPage = Omit<PageAsked, 'start' | 'limit' | 'before'>

/** What may be asked of a list that is read to its end. */
export interface EachQuery<C extends ContentRegistry<C>, T extends keyof C> extends Omit<
  ContentQuery<C, T>,
  'pagination'
> {
  readonly pagination?: EachPage
}
