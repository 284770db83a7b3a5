// CPU of five aggregates on tables of an application, compared with SQL written by hand.
// node --require ./lab/bench/typescript.cjs lab/bench/aggregates/run.ts [--databases postgres] [--questions 1,5] [--orders 20000] [--rounds 9]
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeOnce, serverPidOf, startDatabase } from '../data/prepare'
import { bodyOf, contend } from '../measure/compare'
import { type RunningSide, startProcess } from '../measure/running-side'
import { filledDatabases, type FilledDatabase } from '../measured-databases'
import { type Measured, say, sayRatios, writeResults } from '../report'
import { questions } from './questions'
import { fillShop } from './tables'

const { values: given } = parseArgs({
  options: {
    databases: { type: 'string', default: filledDatabases.join(',') },
    /** Numbers from 1 on; all without it. */
    questions: { type: 'string' },
    orders: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '1' },
    fill: { type: 'boolean', default: false },
  },
})

async function measureOn(
  sides: readonly RunningSide[],
  serverPid: number | null,
  database: FilledDatabase,
): Promise<readonly Measured[]> {
  const measured: Measured[] = []
  for (const [at, { title, query, pageSize }] of questions.entries()) {
    if (given.questions?.split(',').includes(String(at + 1)) === false) continue
    const path = `/${String(at)}/orders/aggregate?${query}&pagination[pageSize]=${String(pageSize)}`
    const [ours = '', byHand] = await Promise.all(sides.map((side) => bodyOf(side, path)))
    if (ours !== byHand) throw new Error(`${path}: the responses differ:\n${ours}\n${String(byHand)}`)
    const load = { rounds: Number(given.rounds), seconds: Number(given.seconds), warm: 4, connections: 1 }
    const client = { client: 'autocannon', profile: '', least: 1, pathsOf: () => [path] } as const
    const runs = await contend({ ...load, ...client, sides, serverPid })
    const one = { database, request: String(at + 1), title, bytes: Buffer.byteLength(ours), runs }
    sayRatios(one, 'ours')
    measured.push(one)
  }
  return measured
}

async function measure(name: FilledDatabase): Promise<readonly Measured[]> {
  const running = await startDatabase(name)
  if (running === undefined) {
    say(`${name} is not installed`)
    return []
  }
  const orders = Number(given.orders)
  const sides: RunningSide[] = []
  try {
    const database = `shop_${given.orders}`
    const bench = await makeOnce(name, database, 'shop', (config) => fillShop(name, config, orders))
    if (given.fill) return []
    const typescript = ['--require', join(__dirname, '..', 'typescript.cjs')]
    for (const side of ['ours', 'limit'])
      sides.push(await startProcess(side, join(__dirname, 'side.ts'), { side, name, bench }, typescript))
    return await measureOn(sides, serverPidOf(name), name)
  } finally {
    await Promise.all(sides.map((side) => side.stop()))
    await running.stop()
  }
}

async function measureAll(): Promise<void> {
  const measured: Measured[] = []
  for (const name of filledDatabases.filter((one) => given.databases.split(',').includes(one)))
    measured.push(...(await measure(name)))
  if (!given.fill) say(writeResults(`aggregates-${given.orders}`, measured, 'ours'))
}

void measureAll()
