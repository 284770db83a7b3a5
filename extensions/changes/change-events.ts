import { type CoreRights, type CoreSettings, mayRead } from '../../lib/http'
import { type Model, userUid } from '../../lib/schema'
import type { ChangesSince, NumberedChange } from './recent-changes'
import type { ChangedDocument } from './changes-options'
import type { ChangedOwner } from './content-change'
import type { ChangedRow } from './decode'
import { publicName } from './table-owners'

/** A grant of all types opens users where entries lead to them, and no list of them. */
const listsUsers = {
  controller: 'plugin::users-permissions.user',
  action: 'find',
  type: userUid,
  as: 'find',
} as const

/** The rows of a type that a role sees. `none`: types with rules, too, because their rows are unknown without a query. */
export type ShownRows = (model: Model) => 'all' | 'published' | 'none'

export function shownRowsOf(settings: CoreSettings, rights: CoreRights): ShownRows {
  const { grants } = rights
  const asked = grants.clientQueries ?? grants
  return (model) => {
    if (model.open || model.kind === 'component') return 'none'
    if (model.uid === userUid && !rights.mayAsk(listsUsers)) return 'none'
    // The id of an entry that no list shows may be its only protection.
    if (!mayRead(settings, asked, model, 'find') || asked.rules(model, 'find') !== null) return 'none'
    if (!model.draftAndPublish) return 'all'
    const mayAsk = settings.drafts === 'open' || asked.may(model, 'drafts')
    return mayAsk && asked.rules(model, 'drafts') === null ? 'all' : 'published'
  }
}

interface ShownChange {
  readonly types: readonly string[]
  readonly documents: readonly ChangedDocument[]
}

/** Rows that are visible now or were before; null for too many. */
function visibleRowsOf({ owner, rows }: ChangedOwner, shownRows: ShownRows): readonly ChangedRow[] | null {
  if (owner.holds === 'parts') return []
  const seen = shownRows(owner.types[0])
  if (seen === 'none') return []
  return seen === 'all' ? rows.all : rows.published
}

/** The log does not name the entries of links and components: they are shown if all entries at both ends are visible. */
function visibleTypesOf({ owner, rows }: ChangedOwner, shownRows: ShownRows): readonly Model[] {
  const areSeen = (types: readonly Model[]): boolean => types.every((type) => shownRows(type) === 'all')
  if (owner.holds === 'parts') return areSeen([...owner.types, ...owner.ends]) ? owner.types : []
  return areSeen(owner.types) || (visibleRowsOf({ owner, rows }, shownRows) ?? []).length > 0
    ? owner.types
    : []
}

/** The visible part of a change; null without one. `anything`: too much to list. */
function shownChange(owners: Iterable<ChangedOwner>, shownRows: ShownRows): ShownChange | 'anything' | null {
  const types = new Set<string>()
  const documents = new Map<string, ChangedDocument>()
  for (const changed of owners) {
    const rows = visibleRowsOf(changed, shownRows)
    if (rows === null) return 'anything'
    for (const type of visibleTypesOf(changed, shownRows)) types.add(publicName(type))
    const [type] = visibleTypesOf(changed, shownRows)
    if (type === undefined) continue
    const name = publicName(type)
    for (const documentId of rows.flatMap((row) => row.documents))
      documents.set(`${name} ${documentId}`, { type: name, documentId })
  }
  return types.size === 0 ? null : { types: [...types], documents: [...documents.values()] }
}

/** A longer event becomes a reset. */
const mostBytes = 32 * 1024

const eventText = (event: string, id: string, data: object): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`

/** The client has to read everything again. */
export const resetEvent = (id: string): string => eventText('reset', id, {})

/** The client gets every change from here on. */
export const readyEvent = (id: string): string => eventText('ready', id, {})

function changeEvent({ id, owners }: NumberedChange, shownRows: ShownRows): string | null {
  const shown = owners === null ? 'anything' : shownChange(owners, shownRows)
  if (shown === null) return null
  const text = shown === 'anything' ? null : eventText('change', id, shown)
  return text === null || text.length > mostBytes ? resetEvent(id) : text
}

const isVisible = ({ owners }: NumberedChange, shownRows: ShownRows): boolean =>
  owners === null || shownChange(owners, shownRows) !== null

export const areVisible = ({ changes, forgotten }: ChangesSince, shownRows: ShownRows): boolean =>
  [...changes, ...forgotten].some((change) => isVisible(change, shownRows))

/** The visible changes; null if a visible one was dropped. */
export const changeEvents = (
  { changes, forgotten }: ChangesSince,
  shownRows: ShownRows,
): readonly string[] | null =>
  forgotten.some((change) => isVisible(change, shownRows))
    ? null
    : changes.flatMap((change) => changeEvent(change, shownRows) ?? [])

/** All missed events as one text; a reset if they are unknown or too many. */
export function missedEvents(missed: ChangesSince | null, last: string, shownRows: ShownRows): string {
  const events = missed === null ? undefined : changeEvents(missed, shownRows)?.join('')
  return events === undefined || events.length > mostBytes ? resetEvent(last) : events
}
