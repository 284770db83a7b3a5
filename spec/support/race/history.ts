import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Knex } from 'knex'

export const facts = ['row', 'component', 'link', 'pair', 'long', 'permission'] as const
export type Fact = (typeof facts)[number]

interface Told {
  readonly kind: 'starts' | 'done'
  readonly fact: Fact
  readonly version: number
}

interface Committed {
  readonly version: number
  readonly at: number
}

/** What writers have committed, as far as they have said so, and what they may have. */
export interface History {
  /** The version that everybody saw at a time, or a later one. */
  readonly least: (fact: Fact, at: number) => number
  /** No later version can have been seen until now. */
  readonly most: (fact: Fact) => number
  /** Lets the writers write for as long as this lasts. With `outages` the server may go meanwhile, and come back. */
  readonly during: <T>(work: () => Promise<T>, outages?: boolean) => Promise<T>
}

/** A grant is a row that ties a permission to a role. */
export type GrantRow = Readonly<Record<string, number>>

export function makeHistory(config: Knex.Config, grant: GrantRow): History {
  const started = new Map<Fact, number>()
  const committed = new Map<Fact, Committed[]>(facts.map((fact) => [fact, [{ version: 0, at: 0 }]]))
  const most = (fact: Fact): number => started.get(fact) ?? 0

  const start = (outages: boolean): ChildProcess => {
    const last = Object.fromEntries(facts.map((fact) => [fact, most(fact)]))
    const child = fork(join(__dirname, 'writer.cjs'), [JSON.stringify({ config, grant, last, outages })])
    child.on('message', (message) => {
      const { kind, fact, version } = message as Told
      if (kind === 'done') {
        committed.get(fact)?.push({ version, at: performance.now() })
        return
      }
      started.set(fact, version)
      child.send(fact)
    })
    return child
  }

  return {
    least: (fact, at) => committed.get(fact)?.findLast((one) => one.at <= at)?.version ?? 0,
    most,
    during: async (work, outages = false) => {
      const child = start(outages)
      const ended = once(child, 'exit').then(([code]) => {
        if (code !== 0) throw new Error('the writers failed')
      })
      const written = ended.then(() => {
        throw new Error('the writers ended before their time')
      })
      try {
        return await Promise.race([work(), written])
      } finally {
        if (child.connected) child.send('stop')
        await ended
      }
    },
  }
}
