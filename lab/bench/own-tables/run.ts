// CPU of a list with two populated relations on tables of an application, compared with a handler written by hand.
import { join } from 'node:path'
import { knex as makeKnex } from 'knex'
import { prepare } from '../data/prepare'
import { bodyOf, contend } from '../measure/compare'
import { startProcess } from '../measure/running-side'
import { filledDatabases, type FilledDatabase } from '../measured-databases'
import { say, sayRatios } from '../report'
import { createTables } from './tables'

const path = '/api/films?populate[0]=language&populate[1]=studio&pagination[page]=21'
const [rounds = 9, seconds = 2] = process.argv.slice(2).map(Number)

async function measure(name: FilledDatabase): Promise<void> {
  const prepared = await prepare(name, 20_000)
  if (prepared === undefined) {
    say(`${name} is not installed`)
    return
  }
  const { bench, serverPid } = prepared
  const knex = makeKnex(bench)
  await createTables(knex)
  await knex.destroy()
  const typescript = ['--require', join(__dirname, '..', 'typescript.cjs')]
  const sides = await Promise.all(
    (['ours', 'limit'] as const).map((side) =>
      startProcess(side, join(__dirname, 'side.ts'), { side, name, bench }, typescript),
    ),
  )
  try {
    const [ours = '', byHand = ''] = await Promise.all(sides.map((side) => bodyOf(side, path)))
    if (ours !== byHand)
      throw new Error(`The responses differ:\n${ours.slice(0, 400)}\n${byHand.slice(0, 400)}`)
    const load = { rounds, seconds, warm: 1, connections: 1, client: 'autocannon', profile: '' } as const
    const runs = await contend({ ...load, sides, serverPid, pathsOf: () => [path] })
    const title = 'a list with two relations on own tables'
    sayRatios({ database: name, request: 'own', title, bytes: Buffer.byteLength(ours), runs }, 'ours')
  } finally {
    await Promise.all(sides.map((side) => side.stop()))
    await prepared.stop()
  }
}

async function measureAll(): Promise<void> {
  for (const name of filledDatabases) await measure(name)
}

void measureAll()
