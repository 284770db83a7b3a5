import { flag, limit } from './option'

export const paginationOptions = {
  /**
   * Entries of a page, if the request asks for no size.
   * @default 25
   */
  defaultPageSize: limit(25, 1, {
    changesBodies: true,
    meaning: 'entries of a page, if no size is asked for',
  }),
  /**
   * Entries of a page at most; a larger size is cut to it.
   * @default 100
   */
  maxPageSize: limit(100, 1, {
    isPerRole: true,
    changesBodies: true,
    meaning: 'entries of a page at most; a larger size is cut to it',
  }),
  /**
   * Whether a page tells the total, if the request does not say.
   * @default true
   */
  withCount: flag(true, {
    changesBodies: true,
    meaning: 'whether a page tells the total, if the request does not say',
  }),
} as const
