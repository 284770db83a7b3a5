import { type NumberedChange, shownChange, type Sight } from '../changes'

/** More than that is not told one by one. */
const mostBytes = 32 * 1024

const eventText = (event: string, id: string, data: object): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`

/** All that is kept is to be read anew. */
export const resetEvent = (id: string): string => eventText('reset', id, {})

/** From here on everything is told. */
export const readyEvent = (id: string): string => eventText('ready', id, {})

/** Null where whoever sees so much may know nothing of it. */
export function changeEvent({ id, owners }: NumberedChange, sight: Sight): string | null {
  const shown = owners === null ? 'anything' : shownChange(owners, sight)
  if (shown === null) return null
  const text = shown === 'anything' ? null : eventText('change', id, shown)
  return text === null || text.length > mostBytes ? resetEvent(id) : text
}

/** What was missed, in one piece; where that is not known, or is too much, word to begin anew. */
export function missedEvents(missed: readonly NumberedChange[] | null, last: string, sight: Sight): string {
  const events = missed?.map((change) => changeEvent(change, sight) ?? '').join('') ?? null
  return events === null || events.length > mostBytes ? resetEvent(last) : events
}
