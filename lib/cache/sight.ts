import type { Database } from '../database'
import type { Shown, Sight } from '../load'
import type { Ask } from './ask'
import type { Counter } from './counter'
import type { States } from './states'

/** Whose states those of all databases but SQLite are, where each connection has numbers of its own. */
export const everybody = {}

/** `tell`: hears what the counter showed of a reading, null where it can not be told. */
export function makeSight(
  { dialect }: Database,
  { counter, ask, states }: { readonly counter: Counter; readonly ask: Ask; readonly states: States },
): (tell?: (shown: Shown | null) => void) => Sight {
  return (tell) => ({
    ask: dialect === 'mysql' ? ask.shownOn : null,
    seen: (told) => {
      const shown = counter.shown(told)
      tell?.(shown)
      if (shown === null || shown.count === null) return null
      const source = dialect === 'sqlite' ? told.connection : everybody
      const seen = { source, state: `${shown.count} ${shown.server}` }
      states.observe(seen)
      return seen
    },
  })
}
