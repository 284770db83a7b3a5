import type { Uid } from '../../lib/schema'
import type { ShownType } from '../../lib/describe'

type QueryTable = Readonly<Record<string, unknown>>

export type TypesByUid = ReadonlyMap<Uid, ShownType>

const isTable = (value: unknown): value is QueryTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Several names may stand in one text. */
const namesIn = (value: unknown): unknown =>
  typeof value === 'string' && value.includes(',') ? value.split(',').map((name) => name.trim()) : value

/** Of one name or several, those that are known. */
function known(value: unknown, isKnown: (name: string) => boolean): unknown {
  const names = namesIn(value)
  const isShown = (one: unknown): boolean => typeof one === 'string' && (one === '*' || isKnown(one))
  if (Array.isArray(names)) return names.filter(isShown)
  return isShown(names) ? names : []
}

function targetsOf(types: TypesByUid, type: ShownType, name: string): readonly ShownType[] {
  return (type.links.get(name)?.targets ?? []).flatMap((uid) => types.get(uid) ?? [])
}

/** Whether each name of a path is a link. */
const isPath = (types: TypesByUid, type: ShownType, [name = '', ...rest]: readonly string[]): boolean =>
  type.links.has(name) &&
  (rest.length === 0 || targetsOf(types, type, name).some((one) => isPath(types, one, rest)))

function populated(types: TypesByUid, type: ShownType, populate: unknown): unknown {
  if (!isTable(populate)) return known(populate, (path) => isPath(types, type, path.split('.')))
  const links = Object.entries(populate).filter(([name]) => type.links.has(name))
  return Object.fromEntries(
    links.map(([name, asked]) => [name, askedOf(types, targetsOf(types, type, name), asked)]),
  )
}

/** Of each of several types what `on` asks of it. */
function askedOf(types: TypesByUid, targets: readonly ShownType[], asked: unknown): unknown {
  const [target] = targets
  if (!isTable(asked) || target === undefined) return asked
  const { on } = asked
  if (!isTable(on)) return knownAsks(types, target, asked)
  const told = targets.filter(({ model }) => model.uid in on)
  return {
    on: Object.fromEntries(told.map((one) => [one.model.uid, askedOf(types, [one], on[one.model.uid])])),
  }
}

/**
 * Which attributes and links a query of the host asks for, which tells what is answered, without the names that a role may not
 * know; and what else the form of the answer depends on.
 */
export function knownAsks(types: TypesByUid, type: ShownType, query: QueryTable): QueryTable {
  const { fields, populate, status, pagination, count } = query
  return {
    ...(fields === undefined ? {} : { fields: known(fields, (name) => type.scalars.has(name)) }),
    ...(populate === undefined ? {} : { populate: populated(types, type, populate) }),
    ...(status === undefined ? {} : { status }),
    ...(pagination === undefined ? {} : { pagination }),
    ...(count === undefined ? {} : { count }),
  }
}
