// Why two answers differ. What docs/concepts/differences-from-strapi.md lists is told from what it does not.
import { isDeepStrictEqual } from 'node:util'
import { type Answer, firstDifference } from '../../spec/corpus/difference'
import type { Store } from '../../spec/support/oracle-content'
import type { Ask, Request } from '../requests/request'
import { asksOf, namesAsked, operatorsAsked } from './links'

export interface Duel {
  /** What was asked of both. */
  readonly path: string
  readonly request: Request
  readonly strapi: Answer
  readonly router: Answer
}

const isEntry = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The body as it is without these names. */
function without(body: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(body)) return body.map((one) => without(one, names))
  if (!isEntry(body)) return body
  const kept = Object.entries(body).filter(([name]) => !names.has(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, without(value, names)]))
}

const agreeWithout = ({ strapi, router }: Duel, names: Iterable<string>): boolean => {
  const left = new Set(names)
  return (
    strapi.status === router.status &&
    isDeepStrictEqual(without(strapi.body, left), without(router.body, left))
  )
}

const errorOf = ({ body }: Answer): Readonly<Record<string, unknown>> => {
  const error = isEntry(body) ? body['error'] : undefined
  return isEntry(error) ? error : {}
}

const messageOf = (answer: Answer): string => String(errorOf(answer)['message'])

/** Words of errors are each side's own; their kind is not. */
export function agree({ strapi, router }: Duel): boolean {
  if (strapi.status !== router.status || router.status >= 500) return false
  return strapi.status < 400
    ? isDeepStrictEqual(strapi.body, router.body)
    : errorOf(strapi)['name'] === errorOf(router)['name']
}

const isFoundOrNot = ({ status }: Answer): boolean => status === 200 || status === 404

/** Which entries there are, not what they show. */
const isOfEntries = ({ path, strapi, router }: Duel): boolean =>
  isFoundOrNot(strapi) &&
  isFoundOrNot(router) &&
  !/(expected|got) absent/.test(firstDifference(path, strapi, router) ?? '')

/** Whether a condition or a sort, at any level, goes through a name that leads to a type with drafts. */
function leadsToDrafts(ask: Ask, { types }: Store): boolean {
  const withDrafts = [...types.values()].flatMap(({ attributes }) =>
    Object.entries(attributes)
      .filter(([, { target = '' }]) => types.get(target)?.options.draftAndPublish === true)
      .map(([name]) => name),
  )
  const names = new Set(['localizations', ...withDrafts])
  return asksOf(ask).some((one) => namesAsked(one).some((name) => names.has(name)))
}

const datesOfItself = ['createdAt', 'updatedAt', 'publishedAt']
const kindsOfValues = [
  'boolean',
  'date',
  'datetime',
  'decimal',
  'float',
  'integer',
  'biginteger',
  'time',
  'timestamp',
]

/** Whether a condition compares a date, a number or a boolean, at any level, as if it was a text. */
function comparesAsTexts(ask: Ask, { types }: Store): boolean {
  const attributes = [...types.values()].flatMap((type) => Object.entries(type.attributes))
  const values = attributes.filter(([, { type }]) => kindsOfValues.includes(type)).map(([name]) => name)
  const names = new Set([...datesOfItself, ...values])
  return asksOf(ask)
    .flatMap(operatorsAsked)
    .some(({ name, operator }) => ['$eqi', '$nei'].includes(operator) && names.has(name))
}

/** Relations that no `inversedBy` leads back to are left out, and so no names to ask by. */
function leadsNowhere({ types }: Store, key: unknown): boolean {
  const all = [...types.values()].flatMap(({ attributes }) => Object.entries(attributes))
  return all.some(([name, { mappedBy, target = '' }]) => {
    if (name !== key || mappedBy === undefined) return false
    return types.get(target)?.attributes[mappedBy]?.inversedBy === undefined
  })
}

const keyOf = (answer: Answer): unknown => {
  const { details } = errorOf(answer)
  return isEntry(details) ? details['key'] : undefined
}

function morphsOf({ types }: Store): string[] {
  const all = [...types.values()].flatMap(({ attributes }) => Object.entries(attributes))
  return [
    'related',
    ...all.filter(([, { relation = '' }]) => relation.startsWith('morph')).map(([name]) => name),
  ]
}

/** Localizations are populated below localizations, by name or with all else. */
const goesBack = /localizations.*(localizations|=\*)/

export interface Reason {
  readonly name: string
  /** The page lists it, or no rule says otherwise. */
  readonly isKnown: boolean
  readonly holds: (duel: Duel, store: Store) => boolean
}

/** The first that holds. */
export const reasons: readonly Reason[] = [
  {
    name: 'the router answers with a 5xx',
    isKnown: false,
    holds: ({ router }) => router.status >= 500,
  },
  {
    name: 'Strapi answers with a 5xx, or not in time',
    isKnown: true,
    holds: ({ strapi }) => strapi.status >= 500,
  },
  {
    name: 'a limit of the router',
    isKnown: true,
    holds: ({ router }) => router.status === 400 && /\bquery\.max|at most|limit/i.test(messageOf(router)),
  },
  {
    name: 'a list of locales for one entry',
    isKnown: true,
    holds: ({ strapi }) => strapi.status === 400 && /^Invalid locale param/.test(messageOf(strapi)),
  },
  {
    name: 'the order of localizations, and of what has no order or equal keys',
    isKnown: true,
    holds: ({ path, strapi, router }) =>
      strapi.status === 200 && firstDifference(path, strapi, router) === undefined,
  },
  {
    name: 'localizations are all other locales, with locale=* and below localizations too',
    isKnown: true,
    holds: (duel) =>
      (duel.request.locale !== undefined || goesBack.test(duel.path)) &&
      agreeWithout(duel, ['localizations']),
  },
  {
    name: 'one status in relations to any type, and in what files are used by',
    isKnown: true,
    holds: (duel, store) => agreeWithout(duel, morphsOf(store)),
  },
  {
    name: 'one status in conditions and sorts through relations',
    isKnown: true,
    holds: (duel, store) => isOfEntries(duel) && leadsToDrafts(duel.request, store),
  },
  {
    name: 'conditions on document ids and locales: exact, and for one entry as well',
    isKnown: true,
    holds: (duel) => isOfEntries(duel) && /filters[^&]*\[(documentId|locale)\]\[(%24|\$)/.test(duel.path),
  },
  {
    name: '$eqi and $nei compare dates, numbers and booleans by value',
    isKnown: true,
    holds: (duel, store) =>
      isFoundOrNot(duel.strapi) && isFoundOrNot(duel.router) && comparesAsTexts(duel.request, store),
  },
  {
    name: 'conditions and sorts by a relation that is left out',
    isKnown: true,
    holds: ({ strapi, router }, store) =>
      isFoundOrNot(strapi) && router.status === 400 && leadsNowhere(store, keyOf(router)),
  },
  {
    name: 'a private name among others behind one populate=',
    isKnown: true,
    holds: ({ path, strapi, router }) =>
      isFoundOrNot(strapi) &&
      router.status === 400 &&
      ['createdBy', 'updatedBy'].includes(String(keyOf(router))) &&
      /populate\]?=[^&]*(,|%2C)/i.test(path),
  },
  { name: 'not in docs/concepts/differences-from-strapi.md', isKnown: false, holds: () => true },
]

export const reasonOf = (duel: Duel, store: Store): Reason | undefined =>
  agree(duel) ? undefined : reasons.find(({ holds }) => holds(duel, store))
