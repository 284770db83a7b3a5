import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { type Asker, asking } from '../asker'
import type { Given, Question, Weight } from './server'

/** The process that is weighed, from outside. */
export interface Weighed extends Asker {
  /** Asks, and reads no more of the answer than its head. */
  readonly askSlowly: (path: string) => Promise<IncomingMessage>
  /** Asks for each once, several at a time; all of them have to be answered. */
  readonly askAll: (paths: readonly string[]) => Promise<void>
  readonly tell: (question: Question) => Promise<Weight>
}

const atOnce = 8

/** Costs less of the machine than clients of the spec's own. */
async function askForAll(port: number, paths: readonly string[]): Promise<void> {
  let given = 0
  const connections = Math.min(atOnce, paths.length)
  const { '2xx': answered } = await autocannon({
    url: `http://127.0.0.1:${String(port)}`,
    connections,
    amount: paths.length,
    timeout: 60,
    sampleInt: 25,
    setupClient: (client) => {
      const own = paths.filter((_, index) => index % connections === given)
      given += 1
      client.setRequests(own.map((path) => ({ path })))
    },
  })
  if (answered !== paths.length) throw new Error(`${String(paths.length - answered)} were not answered`)
}

export async function startWeighed(given: Given): Promise<Weighed> {
  const typescript = join(__dirname, '..', '..', '..', 'lab', 'bench', 'typescript.cjs')
  const child = fork(join(__dirname, 'server.ts'), [JSON.stringify(given)], {
    execArgv: ['--require', typescript],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const ended = async (): Promise<never> => {
    await once(child, 'exit')
    throw new Error('the weighed process ended by itself')
  }
  const told = async (): Promise<unknown> => {
    const [message] = (await Promise.race([once(child, 'message'), ended()])) as unknown[]
    return message
  }
  const port = (await told()) as number
  const agent = new Agent({ keepAlive: true })
  return {
    ask: asking(port, agent),
    askSlowly: async (path) => {
      const [response] = (await once(
        get({ host: '127.0.0.1', port, path, agent: false }),
        'response',
      )) as IncomingMessage[]
      if (response === undefined) throw new Error('there was no answer')
      return response
    },
    askAll: (paths) => askForAll(port, paths),
    tell: async (question) => {
      const answer = told()
      child.send(question)
      return (await answer) as Weight
    },
    close: async () => {
      agent.destroy()
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}
