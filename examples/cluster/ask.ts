// Asks through the balancer at a steady rate, whether or not answers come, and tells what came of it.
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type Asker, asking } from '../../spec/support/asker'
import { tell } from './control'

interface Page {
  readonly data: readonly { readonly edition: number; readonly author: { readonly edition: number } }[]
}

const counted = { asked: 0, failed: 0, torn: 0, 'not modified': 0 }
const servedBy = new Map<string, number>()
const milliseconds: number[] = []
const tags = new Map<string, string>()

/** Asks for one of some pages, as a browser that has it already. */
async function askOnce(ask: Asker['ask'], number: number): Promise<void> {
  const path = `/api/articles?populate=author&pagination[page]=${String(1 + (number % 8))}`
  const etag = tags.get(path)
  const sentAt = performance.now()
  counted.asked += 1
  try {
    const { status, headers, body } = await ask(path, etag === undefined ? {} : { 'If-None-Match': etag })
    milliseconds.push(performance.now() - sentAt)
    const name = String(headers['x-served-by'])
    servedBy.set(name, (servedBy.get(name) ?? 0) + 1)
    if (status === 304) counted['not modified'] += 1
    else if (status === 200) {
      const { data } = JSON.parse(body) as Page
      if (new Set(data.flatMap(({ edition, author }) => [edition, author.edition])).size > 1)
        counted.torn += 1
      if (headers.etag !== undefined) tags.set(path, headers.etag)
    } else counted.failed += 1
  } catch {
    counted.failed += 1
  }
}

const atShare = (share: number): string => {
  const sorted = milliseconds.toSorted((one, other) => one - other)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
}

async function main([rate = '200', seconds = '30']: readonly string[]): Promise<void> {
  const url = new URL(await tell(['address']))
  const agent = new Agent({ keepAlive: true })
  const ask = asking(Number(url.port), agent)
  const begun = performance.now()
  const asked: Promise<void>[] = []
  for (let number = 0; number < Number(rate) * Number(seconds); number += 1) {
    const late = (number * 1000) / Number(rate) - (performance.now() - begun)
    if (late > 1) await pause(late)
    asked.push(askOnce(ask, number))
  }
  await Promise.all(asked)
  agent.destroy()
  const facts: readonly (readonly [string, string | number])[] = [
    ...Object.entries(counted),
    ['served by', [...servedBy].map(([name, count]) => `${name} ${String(count)}`).join(', ')],
    ['milliseconds', `half ${atShare(0.5)}, 95 of 100 ${atShare(0.95)}, longest ${atShare(1)}`],
  ]
  for (const [name, value] of facts) process.stdout.write(`${name.padEnd(14)}${String(value)}\n`)
  if (counted.failed + counted.torn > 0) process.exitCode = 1
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
})
