import { mkdirSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { dirname } from 'node:path'

/** Profiles the process that it is made in. */
export interface Profiler {
  /** Once; what was done before, to start and to get warm, is left out. */
  begin(file: string): void
  /** Writes what has been seen, if it was begun. */
  end(): void
}

export function makeProfiler(): Profiler {
  let begun: { readonly session: Session; readonly file: string } | undefined
  return {
    begin: (file) => {
      if (begun !== undefined) return
      const session = new Session()
      begun = { session, file }
      session.connect()
      session.post('Profiler.enable')
      session.post('Profiler.start')
    },
    end: () => {
      if (begun === undefined) return
      const { session, file } = begun
      session.post('Profiler.stop', (error, found) => {
        if (error !== null) throw error
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, JSON.stringify(found.profile))
      })
    },
  }
}
