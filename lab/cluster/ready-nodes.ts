import { setTimeout as pause } from 'node:timers/promises'
import { knex as makeKnex, type Knex } from 'knex'

/** A node that has not answered for so long cannot. */
export const patience = 250

interface NodeState {
  askedAt: number
  hasFailed: boolean
}

/** Which of the nodes answer by themselves, whatever stands before them. */
export interface ReadyNodes {
  /** Whether there was a moment since then, in milliseconds of `performance.now()`, at which no node answered. */
  readonly wereNoneSince: (then: number) => boolean
  readonly stop: () => Promise<void>
}

export function watchNodes(nodes: readonly Knex.Config[]): ReadyNodes {
  const states: NodeState[] = nodes.map(() => ({ askedAt: performance.now(), hasFailed: false }))
  const course = { isOver: false, noneAt: -Infinity }
  const ask = async (config: Knex.Config, place: number): Promise<void> => {
    const knex = makeKnex({ ...config, pool: { ...config.pool, min: 0, max: 1 } })
    const state = states[place]
    while (state !== undefined && !course.isOver) {
      state.askedAt = performance.now()
      const answered = knex.raw('select name from authors').timeout(1000)
      state.hasFailed = await answered.then(
        () => false,
        () => true,
      )
      await pause(10)
    }
    await knex.destroy()
  }
  const cannot = ({ askedAt, hasFailed }: NodeState): boolean =>
    hasFailed || performance.now() - askedAt > patience
  const look = async (): Promise<void> => {
    while (!course.isOver) {
      if (states.every(cannot)) course.noneAt = performance.now()
      await pause(5)
    }
  }
  const work = Promise.all([look(), ...nodes.map(ask)])
  return {
    wereNoneSince: (then) => course.noneAt >= then,
    stop: async () => {
      course.isOver = true
      await work
    },
  }
}
