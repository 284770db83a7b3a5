// Random requests for a model: mostly such that they find something, some that must be refused.
import type { Arbitrary } from 'fast-check'
import { type Chance, happens, pick } from '../../lab/requests/chance'
import { request } from '../../lab/requests/grammar'
import { operatorsFor } from '../../lab/requests/operators'
import { condition as conditionOn } from '../../lab/requests/conditions'
import type { Filter, Request } from '../../lab/requests/request'
import type { Words } from '../../lab/requests/speaker'
import { type KnownType, type Scalar, type Vocabulary, vocabularyOf } from '../../lab/requests/vocabulary'
import { nastyText } from './arbitrary-worlds'
import { drawn } from './drawn'
import { type Grants, isSound, type Target } from './oracle'
import { type Definition, isComponent, type Store } from './oracle-content'

export interface Asking {
  readonly role: string
  readonly target: Target
  readonly request: Request
}

/** Names that must be refused, in the same words as names that are not there. */
const forbiddenNames = ['nope', 'secret', 'word', 'createdBy', 'related']

// Operands: what is stored, or near it.

const farInstants = ['0001-01-01', '1969-12-31', '2038-01-20', '9999-12-31T23:59:59.999Z']
const instants = ['2012-01-13T12:12:36.852Z', '2024-01-01', ...farInstants]

const fallbacks: Readonly<Partial<Record<Scalar['kind'], readonly string[]>>> = {
  integer: ['0', '1', '-1', '7'],
  biginteger: ['1', '9007199254740993', '9223372036854775807'],
  float: ['0', '0.1', '1e21', '5e-324', '-1e308'],
  decimal: ['0.10', '5', '-1.5'],
  boolean: ['true', 'false', '1', 'f'],
  date: ['0001-01-01', '2000-01-01', '2024-02-29', '9999-12-31'],
  time: ['09:30', '23:59:59.999'],
  datetime: instants,
  timestamp: instants,
}

const swapCase = (text: string): string =>
  Array.from(text, (sign) => (sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase())).join('')

function near(chance: Chance, text: string): string {
  const signs = Array.from(text)
  switch (chance(10)) {
    case 0:
      return swapCase(text)
    case 1:
      return signs.slice(0, -1).join('')
    case 2:
      return signs.slice(1).join('')
    case 3:
      return nastyText(chance)
    default:
      return text
  }
}

function storedText(chance: Chance, { rows }: Store, { uid }: KnownType, { name }: Scalar): string | null {
  const values = rows
    .filter((row) => row.type.uid === uid)
    .map((row) => (name === 'id' ? row.id : name === 'documentId' ? row.documentId : row.given[name]))
    .filter((one) => one !== undefined && one !== null && typeof one !== 'object')
  return values.length === 0 ? null : String(pick(chance, values))
}

const wordsOf = (chance: Chance, store: Store, beyondStrapi: boolean): Words => ({
  name: (fitting) => (happens(chance, 1) ? pick(chance, forbiddenNames) : fitting),
  operators: operatorsFor,
  operand: (type, scalar, compares) => {
    const stored = happens(chance, 80) ? storedText(chance, store, type, scalar) : null
    if (scalar.kind === 'string') return near(chance, stored ?? nastyText(chance))
    const whole = stored ?? pick(chance, fallbacks[scalar.kind] ?? ['0', '1'])
    return compares === 'text' ? whole.slice(chance(3), 3) : whole
  },
  crowd: 24,
  repeatedKeys: 40,
  hasInnerPages: false,
  beyondStrapi,
})

function targetOf(chance: Chance, { rows }: Store, type: Definition): Target {
  const ids = rows.filter((row) => row.type === type).map(({ documentId }) => documentId)
  if (type.kind !== 'collectionType' || ids.length === 0 || happens(chance, 93)) return { uid: type.uid }
  return { uid: type.uid, documentId: happens(chance, 90) ? pick(chance, ids) : 'nowhere' }
}

/** A condition on entries of a type that could be asked, as a rule would. */
export function randomCondition(chance: Chance, store: Store, uid: string): Filter | null {
  const types = vocabularyOf(store.types.values())
  const fitting = { ...wordsOf(chance, store, true), name: (name: string) => name }
  const condition = conditionOn({ chance, types, words: fitting }, types.get(uid) as KnownType, 3)
  return isSound(store, uid, condition) ? condition : null
}

/** A request for the list of a type. */
export function randomListRequest(chance: Chance, store: Store, types: Vocabulary, uid: string): Request {
  const speaker = { chance, types, words: wordsOf(chance, store, true) }
  return request(speaker, types.get(uid) as KnownType, true)
}

interface AskingWords {
  /** Whether what Strapi does not have is asked for as well. */
  readonly beyondStrapi: boolean
}

export function randomAsking(
  store: Store,
  roles: Readonly<Record<string, Grants>>,
  { beyondStrapi }: AskingWords = { beyondStrapi: true },
): Arbitrary<Asking> {
  const isServed = (type: Definition): boolean => !isComponent(type) && type.uid !== 'plugin::upload.file'
  const served = [...store.types.values()].filter(isServed)
  const types = vocabularyOf(store.types.values())
  return drawn((chance) => {
    const names = Object.keys(roles)
    const role = pick(chance, names.includes('all') ? ['all', 'all', ...names] : names)
    const readable = served.filter(({ uid }) => roles[role]?.find.includes(uid))
    const lists = readable.filter(({ kind }) => kind === 'collectionType')
    const isAny = happens(chance, 5) || readable.length === 0
    const type = pick(chance, isAny ? served : happens(chance, 10) || lists.length === 0 ? readable : lists)
    const target = targetOf(chance, store, type)
    const isList = type.kind === 'collectionType' && target.documentId === undefined
    const speaker = { chance, types, words: wordsOf(chance, store, beyondStrapi) }
    return { role, target, request: request(speaker, types.get(type.uid) as KnownType, isList) }
  })
}
