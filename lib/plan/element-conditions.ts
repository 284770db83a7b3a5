import { malformed, type QueryPath, unknownKey } from '../errors'
import { nameOperators, operators } from '../operators'
import type { AskedComparison, AskedCondition } from '../query'
import { type LinkField, type Model, modelOf, unknownAmong } from '../schema'
import type { Condition, FaultBehindLink, NamedType } from './level'
import { everything, type KnownName, nothing, orFault, type Planning, unknownName } from './planning'

// Conditions on zones and relations to any type: `__component` or `__type` compares the type, `on` holds
// conditions by type.

export type BuildFor = (model: Model, asked: AskedCondition, negated: boolean) => Condition<FaultBehindLink>

type AskedAt = Extract<AskedCondition, { op: 'at' }>

const tagOf = ({ role }: LinkField): string => (role === 'zone' ? '__component' : '__type')

const lengthOf = (path: QueryPath): number => [...path].length

function fragmentsOf({ of, path }: AskedAt): readonly AskedAt[] {
  const parts = of.op === 'and' ? of.of : [of]
  return parts.map((part) => {
    const isFragment = part.op === 'at' && lengthOf(part.path) === lengthOf(path) + 1
    if (isFragment) return part
    throw malformed(path, 'Invalid key on: expected the names of types, and conditions on each')
  })
}

function typesIn({ operator, values, path }: AskedComparison): readonly string[] {
  if (!nameOperators.includes(operator)) throw unknownAmong(path, operator, nameOperators)
  return values.map((value) => {
    if (typeof value === 'string') return value
    throw malformed(path, 'A value is missing')
  })
}

function comparisonsIn(asked: AskedCondition): readonly AskedComparison[] {
  switch (asked.op) {
    case 'and':
    case 'or':
      return asked.of.flatMap(comparisonsIn)
    case 'not':
      return comparisonsIn(asked.of)
    case 'compare':
      return [asked]
    case 'at':
      throw unknownKey(asked.path, asked.name)
    case 'which':
      throw unknownKey(asked.path, asked.quantifier)
  }
}

interface SaidName {
  readonly uid: string
  readonly path: QueryPath
}

function namesAt(field: LinkField, asked: AskedAt): readonly SaidName[] {
  if (asked.name === 'on') return fragmentsOf(asked).map(({ name, path }) => ({ uid: name, path }))
  if (asked.name !== tagOf(field)) return []
  return comparisonsIn(asked.of).flatMap((one) => typesIn(one).map((uid) => ({ uid, path: one.path })))
}

function namesIn(field: LinkField, asked: AskedCondition): readonly SaidName[] {
  if (asked.op === 'and' || asked.op === 'or') return asked.of.flatMap((part) => namesIn(field, part))
  if (asked.op === 'not') return namesIn(field, asked.of)
  return asked.op === 'at' ? namesAt(field, asked) : []
}

export const typesOf = ({ targets }: LinkField): Iterable<KnownName> =>
  targets.map((uid) => ({ name: uid, targets: [uid] }))

/** Named types of a condition; others than those of the link become faults. */
export function namedTypes(
  planning: Planning,
  field: LinkField,
  asked: AskedCondition,
): readonly (NamedType | FaultBehindLink)[] {
  const names = orFault(() => ({ op: 'names' as const, all: namesIn(field, asked) }))
  if (names.op === 'fault') return [names]
  return names.all.map(({ uid, path }) =>
    orFault(() => {
      const known = field.targets.find((one) => one === uid)
      const target = known === undefined ? undefined : modelOf(planning.schema, known)
      if (target === undefined || !planning.isReadable(target))
        throw unknownName(planning, path, uid, typesOf(field))
      return { op: 'named', target, path }
    }),
  )
}

interface ElementPlace {
  readonly field: LinkField
  readonly model: Model
  readonly build: BuildFor
}

/** False if a fault or a refused type may be inside. */
function isForAll(condition: Condition<FaultBehindLink>): boolean {
  if (condition.op === 'and' || condition.op === 'or') return condition.of.every(isForAll)
  return condition.op === 'test'
}

/** Constant parts are removed: most conditions are about other types. */
function joinedBy(
  op: 'and' | 'or',
  parts: readonly Condition<FaultBehindLink>[],
): Condition<FaultBehindLink> {
  const [neutral, deciding] = op === 'and' ? [everything, nothing] : [nothing, everything]
  if (parts.includes(deciding) && parts.every(isForAll)) return deciding
  const of = parts.filter((part) => part !== neutral)
  const [only] = of
  if (only === undefined) return neutral
  return of.length === 1 ? only : { op, of }
}

function tagCondition({ uid }: Model, asked: AskedCondition, negated: boolean): Condition<never> {
  const holds = (part: AskedCondition): boolean => {
    if (part.op === 'and') return part.of.every(holds)
    if (part.op === 'or') return part.of.some(holds)
    if (part.op === 'not') return !holds(part.of)
    return part.op === 'compare' && typesIn(part).includes(uid) !== operators[part.operator].negated
  }
  return holds(asked) !== negated ? everything : nothing
}

function atElement(place: ElementPlace, asked: AskedAt, negated: boolean): Condition<FaultBehindLink> {
  const { field, model, build } = place
  if (asked.name === tagOf(field)) return tagCondition(model, asked.of, negated)
  if (asked.name !== 'on') throw unknownAmong(asked.path, asked.name, ['on', tagOf(field)])
  // Fragments of other types do not apply.
  const own = fragmentsOf(asked).filter(({ name }) => name === model.uid)
  return joinedBy(
    negated ? 'and' : 'or',
    own.map(({ of }) => orFault(() => build(model, of, negated))),
  )
}

export function elementCondition(
  place: ElementPlace,
  asked: AskedCondition,
  negated = false,
): Condition<FaultBehindLink> {
  switch (asked.op) {
    case 'and':
    case 'or':
      return joinedBy(
        (asked.op === 'and') === negated ? 'or' : 'and',
        asked.of.map((part) => orFault(() => elementCondition(place, part, negated))),
      )
    case 'not':
      return elementCondition(place, asked.of, !negated)
    case 'at':
      return atElement(place, asked, negated)
    case 'which':
      throw unknownKey(asked.path, asked.quantifier)
    case 'compare':
      throw malformed(asked.path, `${asked.operator} compares an attribute: none is named`)
  }
}
