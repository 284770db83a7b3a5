// Which rows of a random world may be changed or taken away, and of which others some values, without making a difference to
// whoever asks: what they may see stays the same, by the oracle.
import type { Knex } from 'knex'
import { type Chance, happens, pick } from '../../lab/requests/chance'
import { nastyText } from './arbitrary-worlds'
import { type Grants, visibleRows } from './oracle'
import { isComponent, type Row, type Store } from './oracle-content'

type Values = Readonly<Record<string, string | number>>

/** A row is gone, or stands by itself under another id, or holds other values. */
type Change =
  { readonly gone: true; readonly backAs: number | null } | { readonly gone: false; readonly values: Values }

const keyOf = ({ type, id }: Row): string => `${type.uid} ${String(id)}`

const ways = (['published', 'draft'] as const).flatMap((status) =>
  (['find', 'findOne'] as const).map((action) => ({ status, action })),
)

/** All that may be seen, and where. */
function seenIn(store: Store, everyone: readonly Grants[]): ReadonlySet<string> {
  const seen = everyone.flatMap((grants, index) =>
    ways.flatMap((way) =>
      [...visibleRows(store, grants, way)].map(
        ([row, names]) => `${String(index)} ${way.status} ${way.action} ${names.join(',')} ${keyOf(row)}`,
      ),
    ),
  )
  return new Set(seen)
}

function changed(row: Row, change: Change | undefined): Row | null {
  if (change === undefined) return row
  if (change.gone) return change.backAs === null ? null : { ...row, id: change.backAs, links: new Map() }
  return { ...row, given: { ...row.given, ...change.values } }
}

/** The same content with these rows changed or gone, wherever they are linked. */
function withChanges(store: Store, changes: ReadonlyMap<string, Change>): Store {
  const made = new Map<Row, Row | null>(store.rows.map((row) => [row, changed(row, changes.get(keyOf(row)))]))
  const rows = store.rows.flatMap((row) => made.get(row) ?? [])
  const linked = rows.map((row) => ({ ...row, links: new Map<string, Row[]>() }))
  const now = new Map(linked.map((row) => [keyOf(row), row]))
  for (const row of rows) {
    const own = now.get(keyOf(row))
    for (const [name, others] of row.links)
      own?.links.set(
        name,
        others.flatMap((other) => now.get(keyOf(other)) ?? []),
      )
  }
  return { ...store, rows: linked }
}

const clientOf = (knex: Knex): unknown => (knex.client as { readonly config: Knex.Config }).config.client

/** What a program might take for the id of none, and the largest. Those of MySQL have no sign. */
const otherIds = [0, 2 ** 31 - 1]

/** Before, between and behind those of the content. */
const moments = ['0050-01-01T00:00:00.000Z', '1999-12-31T23:59:59.999Z', '2300-01-01T00:00:00.000Z']

/** More than a database sorts by, in the memory that it has by itself. */
const farText = (chance: Chance): string =>
  pick(chance, ['a', 'M', 'z', '😀']).repeat(pick(chance, [1, 300_000]))

/** What may stand in the place of a value that is not seen. */
const otherValues: Readonly<Record<string, (chance: Chance) => string | number>> = {
  title: nastyText,
  secret: nastyText,
  rank: (chance) => pick(chance, [chance(100) - 50, 2 ** 31 - 1, -(2 ** 31)]),
  floatValue: (chance) => pick(chance, [0.1, -1.7e308, 1.7e308, 5e-324]),
  textValue: farText,
  richtextValue: farText,
  updatedAt: (chance) => pick(chance, moments),
}

function columnOf(name: string, value: string | number, knex: Knex): [string, string | number] {
  const column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  if (name !== 'updatedAt') return [column, value]
  const isNumber = clientOf(knex) === 'better-sqlite3'
  return [column, isNumber ? Date.parse(String(value)) : String(value).replace(/[TZ]/g, ' ').trim()]
}

/** As the columns of a database hold them. */
const columnsOf = (values: Values, knex: Knex): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => columnOf(name, value, knex)))

/** Links to nowhere are left, which is well. MySQL deletes nothing, besides, that more than thirty tables hang on. */
const unchecked: Readonly<Record<string, { readonly outside?: string; readonly inside?: string }>> = {
  'better-sqlite3': { outside: 'pragma foreign_keys = off' },
  mysql2: { inside: 'set foreign_key_checks = 0' },
  pg: { inside: 'set local session_replication_role = replica' },
}

export interface HiddenChanges {
  readonly changes: ReadonlyMap<string, Change>
  /** Makes them in a database that holds the content. */
  readonly make: (knex: Knex) => Promise<void>
}

/** `everyone`: those who are to see no difference. */
export function changesOfHidden(chance: Chance, store: Store, everyone: readonly Grants[]): HiddenChanges {
  const before = seenIn(store, everyone)
  const isSame = (other: ReadonlySet<string>): boolean =>
    other.size === before.size && [...other].every((one) => before.has(one))
  /** What is seen of a row in some way; null where it is seen in none. */
  const seenOf = (row: Row): ReadonlySet<string> | null => {
    const own = [...before].filter((one) => one.endsWith(` ${keyOf(row)}`))
    return own.length === 0 ? null : new Set(own.flatMap((one) => one.split(' ')[3]?.split(',') ?? []))
  }
  const changes = new Map<string, Change>()
  const backAs = ({ type }: Row): number | null => {
    const isTaken = (id: number): boolean =>
      [...changes].some(
        ([key, change]) => key.startsWith(`${type.uid} `) && change.gone && change.backAs === id,
      )
    return otherIds.find((id) => !isTaken(id) && happens(chance, 40)) ?? null
  }
  for (const row of store.rows) {
    if (isComponent(row.type) || row.type.uid === 'plugin::upload.file') continue
    const seen = seenOf(row)
    const unseen = Object.entries(otherValues).filter(
      ([name]) => seen?.has(name) !== true && (name === 'updatedAt' || name in row.type.attributes),
    )
    if (unseen.length === 0) continue
    const values = Object.fromEntries(unseen.map(([name, other]) => [name, other(chance)]))
    const change: Change =
      seen === null && happens(chance, 50) ? { gone: true, backAs: backAs(row) } : { gone: false, values }
    const tried = new Map([...changes, [keyOf(row), change]])
    // A rule looks at hidden rows as well: what would let others be seen, or hide them, is left as it is.
    if (isSame(seenIn(withChanges(store, tried), everyone))) changes.set(keyOf(row), change)
  }
  const tables = new Map([...store.types.values()].map(({ uid, collectionName }) => [uid, collectionName]))
  const make = async (knex: Knex): Promise<void> => {
    const { outside, inside } = unchecked[String(clientOf(knex))] ?? {}
    if (outside !== undefined) await knex.raw(outside)
    await knex.transaction(async (changing) => {
      if (inside !== undefined) await changing.raw(inside)
      for (const [key, change] of changes) {
        const [uid = '', id = ''] = key.split(' ')
        const rows = changing(tables.get(uid) ?? '').where({ id: Number(id) })
        if (!change.gone) await rows.update(columnsOf(change.values, knex))
        else await (change.backAs === null ? rows.delete() : rows.update({ id: change.backAs }))
      }
    })
  }
  return { changes, make }
}
