import { type News, type NumberedChange, shownChange, type Sight } from '../changes'

/** More than that is not told one by one. */
const mostBytes = 32 * 1024

const eventText = (event: string, id: string, data: object): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`

/** All that is kept is to be read anew. */
export const resetEvent = (id: string): string => eventText('reset', id, {})

/** From here on everything is told. */
export const readyEvent = (id: string): string => eventText('ready', id, {})

/** Null where whoever sees so much may know nothing of it. */
function changeEvent({ id, owners }: NumberedChange, sight: Sight): string | null {
  const shown = owners === null ? 'anything' : shownChange(owners, sight)
  if (shown === null) return null
  const text = shown === 'anything' ? null : eventText('change', id, shown)
  return text === null || text.length > mostBytes ? resetEvent(id) : text
}

const isHeard = ({ owners }: NumberedChange, sight: Sight): boolean =>
  owners === null || shownChange(owners, sight) !== null

/** Whether whoever sees so much may know anything of it. */
export const areHeard = ({ changes, forgotten }: News, sight: Sight): boolean =>
  [...changes, ...forgotten].some((change) => isHeard(change, sight))

/** What of it whoever sees so much may know; null where something of that is forgotten. */
export const changeEvents = ({ changes, forgotten }: News, sight: Sight): readonly string[] | null =>
  forgotten.some((change) => isHeard(change, sight))
    ? null
    : changes.flatMap((change) => changeEvent(change, sight) ?? [])

/** In one piece; where that is not known, or is too much, word to begin anew. */
export function missedEvents(missed: News | null, last: string, sight: Sight): string {
  const events = missed === null ? undefined : changeEvents(missed, sight)?.join('')
  return events === undefined || events.length > mostBytes ? resetEvent(last) : events
}
