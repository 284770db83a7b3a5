import express from 'express'
import { contentRouter, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { content } from './agreement/content'
import {
  permissions,
  populateRequests,
  recordedRequests,
  searches,
  sortRequests,
  textRequests,
  valueRequests,
  type Asked,
} from './agreement/requests'
import { type Answer, inOrder } from './difference'
import { roleHeader, serve, type Host } from './replay'
import { testDatabases } from '../support/databases'
import { recordingOf } from '../support/recordings'
import { aThirdOf } from '../support/sweep'

const { contentTypes } = recordingOf('sqlite')

const print = ({ status, body }: Answer): string => `${String(status)} ${JSON.stringify(inOrder(body))}`

function showsSomething({ status, body }: Answer): boolean {
  const { data } = body as { data?: unknown }
  return status === 200 && data !== null && !(Array.isArray(data) && data.length === 0)
}

describe('with exact text matching', () => {
  const worlds = testDatabases.map((database) => ({ name: database.name, world: database.fresh() }))
  const hosts: Host[] = []

  beforeAll(async () => {
    for (const { world } of worlds) {
      const config = { contentTypes, database: world.config }
      await migrate(config)
      await seed(config, content)
      const router = contentRouter({
        ...config,
        permissions,
        drafts: 'open',
        role: (req) => req.get(roleHeader) ?? 'public',
      })
      world.closing(router)
      hosts.push(world.closing(await serve(express().use('/api', router))))
    }
  }, 120_000)

  it('has databases to compare with each other', () => {
    const names = testDatabases.map(({ name }) => name).join(', ')
    if (testDatabases.length < 2) process.stdout.write(`ONLY ${names} RUNS: no databases were compared\n`)
    expect(process.env['CI'] === 'true' && testDatabases.length < 2).toBe(false)
  })

  interface Outcome {
    readonly disagreements: readonly string[]
    /** How many answers showed something, so that there was something to agree on. */
    readonly filled: number
  }

  async function compareAll(asked: readonly Asked[]): Promise<Outcome> {
    const disagreements: string[] = []
    let filled = 0
    for (const { role, path } of asked) {
      const request = { n: 0, group: '', request: path, role, expected: 'never 500' } as const
      const answers = await Promise.all(hosts.map((host) => host.ask(request)))
      const [first = '', ...others] = answers.map(print)
      if (answers.every(showsSomething)) filled += 1
      if (others.every((other) => other === first) && answers.every(({ status }) => status < 500)) continue
      const lines = [first, ...others].map((answer, index) => `  ${worlds[index]?.name ?? ''}: ${answer}`)
      disagreements.push(`${path} as ${role}\n${lines.join('\n')}`)
    }
    return { disagreements, filled }
  }

  it.each([
    ['recorded requests', recordedRequests(), 0.5],
    ['comparisons of texts', aThirdOf(textRequests), 0.8],
    ['comparisons of values', aThirdOf(valueRequests), 0.4],
    ['orders', aThirdOf(sortRequests), 0.9],
    ['populated requests', aThirdOf(populateRequests), 0.9],
    ['searches', aThirdOf(searches), 0.9],
  ])(
    'gives the same answers to %s',
    async (_name, asked, share) => {
      const { disagreements, filled } = await compareAll(asked)
      expect(disagreements).toEqual([])
      expect(filled).toBeGreaterThan(asked.length * share)
    },
    120_000,
  )
})
