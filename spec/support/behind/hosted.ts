import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '../asker'
import { decoded } from './decoded'
import type { Given, Kind, Question, Told } from './server'
import { pathTo, type StackName } from './stacks'

export interface Asked {
  readonly behind: StackName
  readonly kind: Kind
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  readonly method?: 'GET' | 'HEAD'
  /** The server that throws where a body is written that must not be there. */
  readonly strictly?: boolean
}

export type Ended = Extract<Told, { readonly outcome: string }>

/** Routers behind stacks of middleware, from outside. */
export interface Hosted {
  readonly ask: (asked: Asked) => Promise<Answer>
  /** As long as the client has patience: what comes in that time, when it is read at leisure. */
  readonly askSlowly: (asked: Asked) => Promise<Buffer>
  /** Reads no more of the answer than its head. */
  readonly askForHead: (asked: Asked) => Promise<IncomingMessage>
  readonly port: number
  /** What the next request that is over came to, as `onRequest` is told; only of those with these words in their shape. */
  readonly ended: (words: string) => Promise<Ended>
  /** Bytes that the process holds once all garbage is gone. */
  readonly weigh: () => Promise<number>
  /** Ends the routers, which finish first what they are answering. */
  readonly closeRouters: () => Promise<void>
  close(): Promise<void>
}

/** Milliseconds in which nothing comes, after which nothing will. */
const patience = 5_000

export const urlOf = ({ behind, kind, path }: Asked): string => `${pathTo(behind, kind)}/${path}`

async function begin(port: number, agent: Agent | false, asked: Asked): Promise<IncomingMessage> {
  const { headers = {}, method = 'GET' } = asked
  const request = get({ host: '127.0.0.1', port, path: urlOf(asked), headers, method, agent })
  request.setTimeout(patience, () => {
    request.destroy(new Error(`nothing came for ${String(patience)} ms`))
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

async function readSlowly(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) {
    chunks.push(chunk as Buffer)
    await pause(3)
  }
  return decoded({ headers: response.headers, bytes: Buffer.concat(chunks) })
}

/** What a process tells, message by message, for as long as it lives. */
function listenTo(
  child: ReturnType<typeof fork>,
): <T extends Told>(is: (told: Told) => told is T) => Promise<T> {
  return (is) =>
    new Promise((resolve, reject) => {
      const over = (): void => {
        child.off('message', hear).off('exit', fail)
      }
      const hear = (message: unknown): void => {
        const told = message as Told
        if (!is(told)) return
        over()
        resolve(told)
      }
      const fail = (): void => {
        over()
        reject(new Error('the process that serves has ended'))
      }
      child.on('message', hear).on('exit', fail)
    })
}

const saysPorts = (told: Told) => 'ports' in told
const saysClosed = (told: Told) => 'closed' in told
const saysHeld = (told: Told) => 'held' in told

/** A process with the routers, their `Router` and their host of one version of Express. */
export async function startHosted(express: '4' | '5', given: Given): Promise<Hosted> {
  const typescript = join(__dirname, '..', '..', '..', 'lab', 'bench', 'typescript.cjs')
  const other = express === '4' ? ['--require', join(__dirname, 'express4.cjs')] : []
  const child = fork(join(__dirname, 'server.ts'), [JSON.stringify(given)], {
    execArgv: ['--require', typescript, ...other],
    env: { ...process.env, NODE_ENV: 'test' },
  })
  const told = listenTo(child)
  const question = async <T extends Told>(asked: Question, is: (told: Told) => told is T): Promise<T> => {
    const answer = told(is)
    child.send(asked)
    return answer
  }
  const { ports } = await told(saysPorts)
  const agent = new Agent({ keepAlive: true })
  const portFor = ({ strictly = false }: Asked): number => (strictly ? ports.strict : ports.usual)
  return {
    ask: async (asked) => {
      const response = await begin(portFor(asked), agent, asked)
      const bytes = await buffer(response)
      const { statusCode = 0, headers } = response
      return { status: statusCode, headers, body: bytes.toString(), bytes }
    },
    askSlowly: async (asked) => readSlowly(await begin(portFor(asked), false, asked)),
    askForHead: (asked) => begin(portFor(asked), false, asked),
    port: ports.usual,
    ended: (words) => told((told): told is Ended => 'outcome' in told && told.shape.includes(words)),
    weigh: async () => (await question('weigh', saysHeld)).held,
    closeRouters: async () => {
      await question('close', saysClosed)
    },
    close: async () => {
      agent.destroy()
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}
