// `--dearest`: what the dearest requests cost that the default limits let through, each asked once by a text never seen.
import type { Prepared } from './data/prepare'
import { type Dear, dearest } from './dearest-requests'
import { databaseCpu } from './measure/processor'
import { type RunningSide, startSide } from './measure/running-side'
import type { Options } from './options'
import { say } from './report'
import { type Known, requests } from './requests'

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
  await new Promise((resolve) => setTimeout(resolve, settling))
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

function sayCost({ kind, title }: Dear, { status, refusal, bytes, statements, ...cost }: Cost): void {
  const { node, database, blocked } = cost
  const cells = [
    ...[kind, title, String(status), seconds(node + database), seconds(node), seconds(database)],
    ...[seconds(blocked), String(statements), `${(bytes / 1_000_000).toFixed(2)} MB`, refusal],
  ]
  say(`| ${cells.join(' | ')} |`)
}

export async function measureDearest(
  prepared: Prepared,
  known: Known,
  { requests: kinds }: Options,
): Promise<void> {
  const { name, bench, recorded, recordedTypes, serverPid } = prepared
  const side = await startSide(
    { ...{ name, bench, recorded, recordedTypes, asStrapi: false }, side: 'ours', ...known },
    [],
  )
  try {
    say(`\n${name}: CPU seconds of the dearest requests that the default limits let through`)
    say(
      '| kind | what is asked | status | CPU | Node | database | loop held | statements | body | refused, as |',
    )
    say('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |')
    for (const { paths } of requests(known))
      for (const path of paths) await (await fetch(side.origin + path)).text()
    for (const dear of dearest) {
      if (kinds.length > 0 && !kinds.includes(dear.kind)) continue
      sayCost(dear, await costOf(side, serverPid, dear.path))
    }
  } finally {
    await side.stop()
  }
}
