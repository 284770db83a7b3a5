import type { Database } from '../database'
import type { Shown, Sight } from '../load'
import type { CounterQuestions } from './ask'
import type { Counter } from './counter'
import { everybody, stateOf, type States } from './states'

/** `tell`: hears what the counter showed of a reading, null where it can not be told. */
export function makeSight(
  { dialect }: Database,
  {
    counter,
    ask,
    states,
  }: { readonly counter: Counter; readonly ask: CounterQuestions; readonly states: States },
): (tell?: (shown: Shown | null) => void) => Sight {
  return (tell) => ({
    ask: dialect === 'mysql' ? ask.shownOn : null,
    seen: (told) => {
      const shown = counter.shown(told)
      tell?.(shown)
      const state = shown && stateOf(shown)
      if (state === null) return null
      const seen = { source: dialect === 'sqlite' ? told.connection : everybody, state }
      states.observe(seen)
      return seen
    },
  })
}
