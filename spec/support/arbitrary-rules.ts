// Random rules for a random world, as the host writes them and as the oracle reads them for each who asks.
import type { Grant, Granted, RoleFunction, Rule } from '../../lib'
import { type Chance, happens, pick, times } from '../../lab/requests/chance'
import type { Filter } from '../../lab/requests/request'
import { randomCondition } from './arbitrary-requests'
import { roleHeader } from './host'
import { type Grants, namesOf, type OracleRule, type Rules } from './oracle'
import { isComponent, plainText, type Store } from './oracle-content'

/** Of the last nothing is known. */
export const askers = ['one', 'two', 'none'] as const
type AskerName = (typeof askers)[number]

/** In the place of a value: the name of what is known of whoever asks. */
const sign = '\u0001'
const signed = /^\u0001(.*)$/s

/** What is compared with nothing but values of its own kind. */
const operators = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte']

/** Truth has many words, and JSON is compared with none. */
const isFitting = (name: string): boolean =>
  !name.startsWith('__') &&
  !/^(boolean|json|blocks)Value$|^(formats|focalPoint|provider_metadata)$/.test(name)

type Known = Record<AskerName, Record<string, string>>

interface Ruling {
  readonly chance: Chance
  readonly store: Store
  readonly known: Known
}

const links: readonly string[] = ['relation', 'media', 'component', 'dynamiczone']

/** What is compared at a link is an id, and what is given there is none. */
const isLink = ({ store }: Ruling, name: string): boolean =>
  [...store.types.values()].some(({ attributes }) => links.includes(attributes[name]?.type ?? ''))

/** Of another entry, so that who asks makes a difference. */
function otherValue(ruling: Ruling, name: string, value: string): string {
  const { chance, store } = ruling
  if (isLink(ruling, name)) return value
  const values = store.rows.map(({ given }) => given[name]).filter((one) => one !== undefined && one !== null)
  return values.length === 0 ? value : plainText(pick(chance, values))
}

function withAskers(ruling: Ruling, filter: Filter, name: string): Filter {
  const within = (part: Filter): Filter => withAskers(ruling, part, name)
  if ('all' in filter) return { all: filter.all.map(within) }
  if ('any' in filter) return { any: filter.any.map(within) }
  if ('not' in filter) return { not: within(filter.not) }
  if ('which' in filter) return { ...filter, of: within(filter.of) }
  if ('count' in filter) return filter
  if ('at' in filter)
    return isFitting(filter.at) ? { ...filter, of: withAskers(ruling, filter.of, filter.at) } : filter
  const { operator, value } = filter
  const { chance, known } = ruling
  if (typeof value !== 'string' || name === '' || !operators.includes(operator) || happens(chance, 40))
    return filter
  const asker = `v${String(Object.keys(known.one).length)}`
  known.one[asker] = value
  known.two[asker] = otherValue(ruling, name, value)
  return { operator, value: sign + asker }
}

type Written = { readonly [key: string]: Written } | readonly Written[] | string | null

/** As the host writes it. */
function writtenOf(filter: Filter): Written {
  if ('all' in filter) return { $and: filter.all.map(writtenOf) }
  if ('any' in filter) return { $or: filter.any.map(writtenOf) }
  if ('not' in filter) return { $not: writtenOf(filter.not) }
  if ('which' in filter) return { [filter.which]: writtenOf(filter.of) }
  if ('count' in filter) return { $count: writtenOf(filter.count) }
  if ('at' in filter) return { [filter.at]: writtenOf(filter.of) }
  const { operator, value } = filter
  const [, asker] = typeof value === 'string' ? (signed.exec(value) ?? []) : []
  return { [operator]: asker === undefined ? value : { $asker: asker } }
}

/** As the oracle reads it. */
function readFor(filter: Filter, known: Readonly<Record<string, string>>): Filter {
  const within = (part: Filter): Filter => readFor(part, known)
  if ('all' in filter) return { all: filter.all.map(within) }
  if ('any' in filter) return { any: filter.any.map(within) }
  if ('not' in filter) return { not: within(filter.not) }
  if ('which' in filter) return { ...filter, of: within(filter.of) }
  if ('count' in filter) return filter
  if ('at' in filter) return { ...filter, of: within(filter.of) }
  const [, asker] = typeof filter.value === 'string' ? (signed.exec(filter.value) ?? []) : []
  return asker === undefined ? filter : { ...filter, value: known[asker] ?? '' }
}

const compares = (filter: Filter): boolean =>
  JSON.stringify(filter).includes(JSON.stringify(sign).slice(1, -1))

const never: Filter = { any: [] }

/** Which rows a rule is on for who knows so much; on none where it compares with what is not known. */
function whereFor(where: Filter | null, known: Readonly<Record<string, string>>): Filter | null {
  if (where === null) return null
  const isKnown = Object.keys(known).length > 0 || !compares(where)
  return isKnown ? readFor(where, known) : { all: [never, where] }
}

type Action = keyof Rules
const actions = ['find', 'findOne', 'drafts'] as const

/** For each type all of its rows, some of them, or none; where an action is absent it is as the host left it out. */
type RoleRules = Readonly<Partial<Record<Action, Readonly<Record<string, true | OracleRule>>>>>

/** Most of what a type has, so that requests name what there is. */
function randomFields({ chance, store }: Ruling, uid: string): readonly string[] {
  const type = store.types.get(uid)
  return type === undefined ? [] : namesOf(type).filter(() => happens(chance, 80))
}

function randomRole(ruling: Ruling, uids: readonly string[]): RoleRules {
  const { chance, store } = ruling
  const granted = (most: number): Record<string, true | OracleRule> => {
    const made = uids.map((uid): readonly [string, true | OracleRule | null] => {
      if (happens(chance, most)) return [uid, happens(chance, 15) ? null : true]
      const condition = happens(chance, 75) ? randomCondition(chance, store, uid) : null
      const where = condition === null ? null : withAskers(ruling, condition, '')
      const fields = happens(chance, 50) ? randomFields(ruling, uid) : null
      return [uid, where === null && fields === null ? true : { where, fields }]
    })
    return Object.fromEntries(
      made.filter((one): one is readonly [string, true | OracleRule] => one[1] !== null),
    )
  }
  return {
    find: granted(25),
    ...(happens(chance, 40) ? { findOne: granted(50) } : {}),
    drafts: granted(50),
  }
}

const toRule = ({ where, fields }: OracleRule): Rule =>
  ({
    ...(where === null ? {} : { where: writtenOf(where) }),
    ...(fields === null ? {} : { fields }),
  }) as Rule

const toGranted = (by: Readonly<Record<string, true | OracleRule>>): Granted =>
  Object.fromEntries(
    Object.entries(by).map(([uid, of]): [string, true | Rule] => [uid, of === true ? true : toRule(of)]),
  )

/** Several roles may do what any of them may. */
function grantsOf(roles: readonly RoleRules[], known: Readonly<Record<string, string>>): Grants {
  const rules: Partial<Record<Action, Record<string, readonly OracleRule[]>>> = {}
  const named = (action: Action): string[] => {
    const by = (role: RoleRules): Readonly<Record<string, true | OracleRule>> =>
      role[action] ?? (action === 'findOne' ? role.find : undefined) ?? {}
    const uids = new Set(roles.flatMap((role) => Object.keys(by(role))))
    rules[action] = Object.fromEntries(
      [...uids].flatMap((uid): [string, readonly OracleRule[]][] => {
        const all = roles.flatMap((role) => by(role)[uid] ?? [])
        const own = all
          .filter((one) => one !== true)
          .map(({ where, fields }) => ({ where: whereFor(where, known), fields }))
        return all.includes(true) ? [] : [[uid, own]]
      }),
    )
    return [...uids]
  }
  const [find, findOne, drafts] = actions.map(named)
  return { find: find ?? [], findOne: findOne ?? [], drafts: drafts ?? [], rules }
}

export interface RandomRules {
  readonly permissions: Readonly<Record<string, Grant>>
  /** Reads such a header. */
  readonly role: RoleFunction
  /** By roles and who has them, as a header says it: `first,second@one`. */
  readonly grants: ReadonlyMap<string, Grants>
}

const roleSets = [
  ...[['first'], ['second'], ['third']],
  ...[
    ['first', 'second'],
    ['first', 'third'],
    ['second', 'third'],
  ],
]

/** On the same rows, with other attributes: what is kept of one set of roles must not be taken for another's. */
function withOtherFields(ruling: Ruling, role: RoleRules): RoleRules {
  const redrawn = (by: Readonly<Record<string, true | OracleRule>>): Record<string, true | OracleRule> =>
    Object.fromEntries(
      Object.entries(by).map(([uid, of]) => [
        uid,
        of === true ? of : { where: of.where, fields: randomFields(ruling, uid) },
      ]),
    )
  return Object.fromEntries(Object.entries(role).map(([action, by]) => [action, redrawn(by)]))
}

export function randomRules(chance: Chance, store: Store): RandomRules {
  const known: Known = { one: {}, two: {}, none: {} }
  const uids = [...store.types.values()]
    .filter((type) => !isComponent(type) && type.uid !== 'plugin::upload.file')
    .map(({ uid }) => uid)
  const [first = {}, second = {}] = times(chance, 2, 2, () => randomRole({ chance, store, known }, uids))
  const third = withOtherFields({ chance, store, known }, second)
  const roles: Readonly<Record<string, RoleRules>> = { first, second, third }
  const permissions = Object.fromEntries(
    Object.entries(roles).map(([name, rules]): [string, Grant] => [
      name,
      Object.fromEntries(Object.entries(rules).map(([action, by]) => [action, toGranted(by)])),
    ]),
  )
  const grants = roleSets.flatMap((names) =>
    askers.map((asker): [string, Grants] => [
      `${names.join(',')}@${asker}`,
      grantsOf(
        names.map((name) => roles[name] ?? {}),
        known[asker],
      ),
    ]),
  )
  const role: RoleFunction = (req) => {
    const [names = '', asker = ''] = (req.get(roleHeader) ?? '').split('@')
    return { roles: names.split(','), asker: known[asker as AskerName] }
  }
  return { permissions, role, grants: new Map(grants) }
}
