import type { QueryPath } from '../errors'
import type { Ask, AskedPopulate } from './asked'

export const populatesNothing = (path: QueryPath): AskedPopulate => ({ all: false, entries: [], path })

/** What is asked of an entry that is only named: all its fields, and what `populate` holds. */
export function wholeAsk(path: QueryPath, populate: AskedPopulate = populatesNothing(path)): Ask {
  return {
    fields: '*',
    populate,
    filters: null,
    sort: [],
    on: null,
    count: false,
    page: null,
    keys: [],
    dotted: false,
    path,
  }
}
