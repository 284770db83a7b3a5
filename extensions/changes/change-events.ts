import type { ShownRows } from '../../lib/http'
import type { Model } from '../../lib/schema'
import type { ChangesSince, NumberedChange } from './kept-changes'
import type { ChangedDocument } from './changes-options'
import type { ChangedOwner } from './content-change'
import type { ChangedRow } from './decode'
import { toldName } from './table-owners'

interface ShownChange {
  readonly types: readonly string[]
  readonly documents: readonly ChangedDocument[]
}

/** Rows that are seen now or were before; null where that cannot be told of so many. */
function seenRows({ owner, rows }: ChangedOwner, shownRows: ShownRows): readonly ChangedRow[] | null {
  if (owner.holds === 'parts') return []
  const seen = shownRows(owner.types[0])
  if (seen === 'none') return []
  return seen === 'all' ? rows.all : rows.published
}

/** Of what hangs on entries it is not told on which, so that it is told where all of them may be seen, at both ends of links. */
function seenTypes({ owner, rows }: ChangedOwner, shownRows: ShownRows): readonly Model[] {
  const areSeen = (types: readonly Model[]): boolean => types.every((type) => shownRows(type) === 'all')
  if (owner.holds === 'parts') return areSeen([...owner.types, ...owner.ends]) ? owner.types : []
  return areSeen(owner.types) || (seenRows({ owner, rows }, shownRows) ?? []).length > 0 ? owner.types : []
}

/** What of a change somebody may know; null where he may know nothing. `anything`: more than can be told. */
function shownChange(owners: Iterable<ChangedOwner>, shownRows: ShownRows): ShownChange | 'anything' | null {
  const types = new Set<string>()
  const documents = new Map<string, ChangedDocument>()
  for (const changed of owners) {
    const rows = seenRows(changed, shownRows)
    if (rows === null) return 'anything'
    for (const type of seenTypes(changed, shownRows)) types.add(toldName(type))
    const [type] = seenTypes(changed, shownRows)
    if (type === undefined) continue
    const name = toldName(type)
    for (const documentId of rows.flatMap((row) => row.documents))
      documents.set(`${name} ${documentId}`, { type: name, documentId })
  }
  return types.size === 0 ? null : { types: [...types], documents: [...documents.values()] }
}

/** More than that is not told one by one. */
const mostBytes = 32 * 1024

const eventText = (event: string, id: string, data: object): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`

/** All that is kept is to be read anew. */
export const resetEvent = (id: string): string => eventText('reset', id, {})

/** From here on everything is told. */
export const readyEvent = (id: string): string => eventText('ready', id, {})

/** Null where whoever sees so much may know nothing of it. */
function changeEvent({ id, owners }: NumberedChange, shownRows: ShownRows): string | null {
  const shown = owners === null ? 'anything' : shownChange(owners, shownRows)
  if (shown === null) return null
  const text = shown === 'anything' ? null : eventText('change', id, shown)
  return text === null || text.length > mostBytes ? resetEvent(id) : text
}

const isHeard = ({ owners }: NumberedChange, shownRows: ShownRows): boolean =>
  owners === null || shownChange(owners, shownRows) !== null

/** Whether whoever sees so much may know anything of it. */
export const areHeard = ({ changes, forgotten }: ChangesSince, shownRows: ShownRows): boolean =>
  [...changes, ...forgotten].some((change) => isHeard(change, shownRows))

/** What of it whoever sees so much may know; null where something of that is forgotten. */
export const changeEvents = (
  { changes, forgotten }: ChangesSince,
  shownRows: ShownRows,
): readonly string[] | null =>
  forgotten.some((change) => isHeard(change, shownRows))
    ? null
    : changes.flatMap((change) => changeEvent(change, shownRows) ?? [])

/** In one piece; where that is not known, or is too much, word to begin anew. */
export function missedEvents(missed: ChangesSince | null, last: string, shownRows: ShownRows): string {
  const events = missed === null ? undefined : changeEvents(missed, shownRows)?.join('')
  return events === undefined || events.length > mostBytes ? resetEvent(last) : events
}
