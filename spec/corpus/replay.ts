import { readFileSync } from 'node:fs'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { Express } from 'express'
import type { Recording } from '../support/recordings'
import type { Answer } from './difference'

export const roleHeader = 'x-test-role'

export interface Case {
  readonly n: number
  readonly group: string
  readonly request: string
  readonly role: string
  readonly headers?: Readonly<Record<string, string>>
  readonly expected: Answer | 'never 500'
}

interface RecordedCase extends Omit<Case, 'expected'>, Answer {}

function recordedCases(folder: string): Case[] {
  const lines = gunzipSync(readFileSync(join(folder, 'cases.jsonl.gz')))
    .toString('utf8')
    .trim()
    .split('\n')
  return lines.map((line) => {
    const { status, body, ...request } = JSON.parse(line) as RecordedCase
    return { ...request, expected: { status, body } }
  })
}

/** Requests that Strapi answers with 500: ours may be anything below. */
function neverFailing(folder: string): Case[] {
  const requests = JSON.parse(readFileSync(join(folder, 'never-500.json'), 'utf8')) as Omit<Case, 'n'>[]
  return requests.map(({ request, role }, n) => ({
    n,
    group: 'never-500',
    request,
    role,
    expected: 'never 500',
  }))
}

export function casesByGroup({ folder }: Recording): ReadonlyMap<string, readonly Case[]> {
  const cases = [...recordedCases(folder), ...neverFailing(folder)]
  const groups = [...new Set(cases.map(({ group }) => group))]
  return new Map(groups.map((name) => [name, cases.filter(({ group }) => group === name)]))
}

const patience = 10_000

export interface Host {
  ask(request: Case): Promise<Answer>
  close(): Promise<void>
}

/** The recorded requests are raw text: only what cannot stand in a request line is encoded. */
function onTheWire(request: string): string {
  return request.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}

function bodyOf(answer: string): unknown {
  try {
    return JSON.parse(answer)
  } catch {
    return answer
  }
}

async function send(port: number, agent: Agent, { request, role, headers }: Case): Promise<Answer> {
  const path = onTheWire(request)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(
      {
        host: '127.0.0.1',
        port,
        path,
        agent,
        headers: { ...headers, [roleHeader]: role },
        signal: AbortSignal.timeout(patience),
      },
      resolve,
    ).on('error', reject)
  })
  return { status: response.statusCode ?? 0, body: bodyOf(await text(response)) }
}

export async function serve(app: Express): Promise<Host> {
  const server = createServer({ keepAliveTimeout: 0 }, app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  return {
    ask: (request) => send(port, agent, request),
    close: async () => {
      agent.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export interface Disagreement {
  readonly asked: Case
  readonly got: Answer
  readonly difference: string
}

async function ask(host: Host, asked: Case): Promise<Answer> {
  try {
    return await host.ask(asked)
  } catch (error) {
    return { status: 599, body: `no answer: ${String(error)}` }
  }
}

/** In what an answer differs from the one that is right for the case. */
export type Judge = (asked: Case, got: Answer) => Promise<string | undefined>

/** One after the other, so that a request which takes too long is the one that is named. */
export async function replay(
  host: Host,
  cases: readonly Case[],
  differenceOf: Judge,
): Promise<readonly Disagreement[]> {
  const found: Disagreement[] = []
  for (const asked of cases) {
    const got = await ask(host, asked)
    const difference = await differenceOf(asked, got)
    if (difference !== undefined) found.push({ asked, got, difference })
  }
  return found
}
