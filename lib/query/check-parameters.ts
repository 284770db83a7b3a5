import { unknownKey } from '../errors'
import { nearest } from '../schema'
import type { RawObject } from './raw'

/** `'near'`: a name is refused that is nearly one of a parameter; true: every name that is no parameter. */
export type StrictParameters = 'near' | boolean

const words = [
  ...['fields', 'filters', 'sort', 'pagination', 'populate'],
  ...['locale', 'fallback', 'status', 'publicationFilter', 'hasPublishedVersion'],
]
const parameters = [...words, '_q']

/** What other versions of Strapi, other APIs, or habit, call them: in small letters, without `_` and `-`. */
const otherNames: Readonly<Record<string, string>> = {
  q: '_q',
  search: '_q',
  limit: 'pagination[limit]',
  start: 'pagination[start]',
  offset: 'pagination[start]',
  pagesize: 'pagination[pageSize]',
  perpage: 'pagination[pageSize]',
  withcount: 'pagination[withCount]',
  publicationstate: 'status',
  where: 'filters',
  order: 'sort',
  orderby: 'sort',
  sortby: 'sort',
  include: 'populate',
  expand: 'populate',
  select: 'fields',
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

/** How near words are is worked out letter by letter, so that a long one would cost more than the query. */
const longest = 30

/** Slips are seldom made in the first letter, and many a short word is one letter away from another. */
function nearestParameter(name: string): string | undefined {
  if (name.length > longest) return undefined
  const meant = nearest(name, words)
  return meant?.[0] === name[0]?.toLowerCase() ? meant : undefined
}

/** `filters.title` has no brackets. */
function withoutBrackets(name: string): string | undefined {
  const [head = '', rest] = name.split('.')
  return rest !== undefined && words.includes(head) ? `${head}[${rest}]` : undefined
}

function meantBy(name: string): string | undefined {
  const word = name.length > longest ? '' : plain(name)
  const known = Object.hasOwn(otherNames, word) ? otherNames[word] : undefined
  return (
    known ?? parameters.find((one) => plain(one) === word) ?? withoutBrackets(name) ?? nearestParameter(name)
  )
}

/** Unknown names are mostly meant for the host; one that is nearly a parameter is mostly a slip. */
export function checkParameters(
  raw: RawObject,
  strict: StrictParameters,
  further: readonly string[] = [],
): void {
  if (strict === false) return
  for (const name of Object.keys(raw)) {
    if (parameters.includes(name) || further.includes(name)) continue
    const meant = meantBy(name)
    if (meant !== undefined) throw unknownKey([name], name, `did you mean ${meant}?`)
    if (strict === true) throw unknownKey([name], name, `the parameters are ${parameters.join(', ')}`)
  }
}
