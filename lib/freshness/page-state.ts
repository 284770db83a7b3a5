import type { Database } from '../database'
import type { PageTold, Probe, ProbeResult, RunSql } from './probe'
import type { Probing } from './probing'
import { type PageState, stateOf, type StandingStates } from './standing-states'

/** Finds out which state of the database a page shows. */
export interface PageStateReader {
  /** Asks for what the statement of a page cannot tell; to be sent behind that. */
  readonly ask: ((run: RunSql, connection: object) => Promise<ProbeResult | null>) | null
  /** Null where nothing follows from what was told. */
  readonly read: (told: PageTold) => PageState | null
}

export function makePageStateReader(
  { dialect }: Database,
  {
    probe,
    probing,
    states,
  }: { readonly probe: Probe; readonly probing: Probing; readonly states: StandingStates },
): PageStateReader {
  return {
    ask: dialect === 'mysql' ? probing.readOn : null,
    read: (told) => {
      const shown = probe.ofPage(told)
      const state = shown && stateOf(shown)
      if (shown === null || state === null) return null
      const source = dialect === 'sqlite' ? told.connection : states.ofServer(shown.server)
      const seen = { source, state }
      states.observe(seen)
      return seen
    },
  }
}
