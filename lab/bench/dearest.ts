// `--dearest`: what the dearest requests cost that the default limits let through, each asked once by a text never seen.
// `--steps`: how what limits refuse would grow.
import { filledDatabases, type FilledDatabase } from './measured-databases'
import type { Prepared } from './data/prepare'
import { type Dear, dearest, steps } from './dearest-requests'
import { databaseCpu } from './measure/processor'
import { type RunningSide, startSide } from './measure/running-side'
import type { Options } from './options'
import { say } from './report'
import { type Known, requests } from './requests'
import type { SideName } from './side'

interface Cost {
  readonly status: number
  /** Why it was refused, in the words of the answer. */
  readonly refusal: string
  readonly bytes: number
  /** Seconds of CPU, and for how long the event loop stood still. */
  readonly node: number
  readonly database: number
  readonly blocked: number
  readonly statements: number
}

/** Answers that were given up leave the database busy for a moment. */
const settling = 300

async function costOf(side: RunningSide, serverPid: number | null, path: string): Promise<Cost> {
  const before = await side.tell({ tell: 'facts' })
  const databaseBefore = databaseCpu(serverPid) ?? NaN
  const response = await fetch(`${side.origin}/api/${path}`)
  const body = await response.text()
  if (!response.ok) await new Promise((resolve) => setTimeout(resolve, settling))
  const after = await side.tell({ tell: 'facts' })
  const { error } = (response.ok ? {} : JSON.parse(body)) as { readonly error?: { readonly message: string } }
  return {
    status: response.status,
    refusal: error?.message ?? '',
    bytes: body.length,
    node: (after.cpu - before.cpu) / 1000,
    database: ((databaseCpu(serverPid) ?? NaN) - databaseBefore) / 1000,
    blocked: after.blocked / 1000,
    statements: after.statements - before.statements,
  }
}

const seconds = (value: number): string => value.toFixed(2)
const milliseconds = (value: number): string => (1000 * value).toFixed(0)

function sayCost({ kind, title }: Dear, { status, refusal, bytes, statements, ...cost }: Cost): void {
  const { node, database, blocked } = cost
  const cells = [
    ...[kind, title, String(status), seconds(node + database), seconds(node), seconds(database)],
    ...[seconds(blocked), String(statements), `${(bytes / 1_000_000).toFixed(2)} MB`, refusal],
  ]
  say(`| ${cells.join(' | ')} |`)
}

async function startAll(
  { name, bench, recorded, recordedTypes }: Prepared,
  known: Known,
  names: readonly SideName[],
): Promise<RunningSide[]> {
  const given = { name, bench, recorded, recordedTypes, asStrapi: false, ...known } as const
  const started: RunningSide[] = []
  for (const side of names) started.push(await startSide({ ...given, side }, []))
  for (const side of started)
    for (const { paths } of requests(known))
      for (const path of paths) await (await fetch(side.origin + path)).text()
  return started
}

/** A request that was let through. */
export interface Asked extends Dear {
  readonly database: FilledDatabase
  readonly cpu: number
}

export async function measureDearest(
  prepared: Prepared,
  known: Known,
  { requests: kinds }: Options,
): Promise<Asked[]> {
  const { name: database, serverPid } = prepared
  const [side] = (await startAll(prepared, known, ['patient'])) as [RunningSide]
  const asked: Asked[] = []
  try {
    say(`\n${database}: CPU seconds of the dearest requests that the default limits let through`)
    say(
      '| kind | what is asked | status | CPU | Node | database | loop held | statements | body | refused, as |',
    )
    say('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |')
    for (const dear of dearest) {
      if (kinds.length > 0 && !kinds.includes(dear.kind)) continue
      const cost = await costOf(side, serverPid, dear.path)
      sayCost(dear, cost)
      if (cost.status !== 200) continue
      asked.push({ ...dear, database, cpu: cost.node + cost.database })
    }
  } finally {
    await side.stop()
  }
  return asked
}

/** The default of `timeout`, in seconds. */
const timeout = 10

/** The most expensive request of each kind, in milliseconds of CPU. A star: the default `timeout` cancels it. */
export function sayDearest(asked: readonly Asked[]): void {
  const cpuOn = (name: FilledDatabase, { kind, title }: Dear): string => {
    const one = asked.find((other) => other.database === name && other.kind === kind && other.title === title)
    return one === undefined ? '–' : `${milliseconds(one.cpu)}${one.cpu > timeout ? '*' : ''}`
  }
  say(`\n| kind | request | ${filledDatabases.join(' | ')} |`)
  say(`| --- | --- | ${filledDatabases.map(() => '---').join(' | ')} |`)
  for (const kind of new Set(asked.map((one) => one.kind))) {
    const [most] = asked.filter((one) => one.kind === kind).sort((one, other) => other.cpu - one.cpu)
    if (most === undefined) continue
    const cells = [kind, most.title, ...filledDatabases.map((name) => cpuOn(name, most))]
    say(`| ${cells.join(' | ')} |`)
  }
}

/** What takes less is asked more often: the system counts the CPU of a server in hundredths of a second. */
const soon = 0.1
const often = 20

async function cpuOf(side: RunningSide, serverPid: number | null, path: string): Promise<number> {
  const numbered = (number: number): string => path.replaceAll('~', String(number))
  const once = async (number: number): Promise<number> => {
    const { status, refusal, node, database } = await costOf(side, serverPid, numbered(number))
    if (status !== 200) throw new Error(`${String(status)}, ${refusal}: ${path.slice(0, 200)}`)
    return node + database
  }
  await once(1)
  const times = (await once(2)) < soon ? often : 3
  let sum = 0
  for (let time = 0; time < times; time += 1) sum += await once(3 + time)
  return sum / times
}

export async function measureSteps(prepared: Prepared, known: Known): Promise<void> {
  const [side] = (await startAll(prepared, known, ['unlimited'])) as [RunningSide]
  try {
    for (const { title, counts, path } of steps) {
      const found: number[] = []
      for (const count of counts) found.push(await cpuOf(side, prepared.serverPid, path(count)))
      const cells = found.map((cpu) => `${milliseconds(cpu)} (${(cpu / (found[0] ?? NaN)).toFixed(1)})`)
      say(`${prepared.name}, ${title}, ms of CPU (over the first): ${counts.join(', ')}`)
      say(`| ${cells.join(' | ')} |`)
    }
  } finally {
    await side.stop()
  }
}
