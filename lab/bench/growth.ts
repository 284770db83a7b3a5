// `--growth`: each side on all articles beside itself on the first of them.
import { answers, pathsFor, wanted } from './answers'
import { madeSingly } from './data/multiply'
import { prepare, type Prepared } from './data/prepare'
import { bodyOf, contend } from './measure/compare'
import { type RunningSide, startSide } from './measure/running-side'
import type { Options } from './options'
import { type Measured, sayRatios } from './report'
import { type Known, requests } from './requests'
import type { SideName } from './side'

/** On the database that is named so in the report. */
async function start(side: SideName, prepared: Prepared, known: Known, name: string): Promise<RunningSide> {
  const { name: database, bench, recorded, recordedTypes } = prepared
  const given = { name: database, bench, recorded, recordedTypes, side, asStrapi: false, ...known }
  return { ...(await startSide(given, [])), name }
}

async function measureSide(
  side: SideName,
  [all, first]: readonly [all: Prepared, first: Prepared],
  known: Known,
  options: Options,
): Promise<Measured[]> {
  const { name: database, serverPid } = all
  const name = `${side}, ${String(options.articles)}`
  const sides = [
    await start(side, all, known, name),
    await start(side, first, known, `${side}, ${String(madeSingly)}`),
  ] as const
  const measured: Measured[] = []
  try {
    for (const asked of requests(known)) {
      if (!wanted(options, asked) || !answers(side, asked)) continue
      const paths = pathsFor(side, asked)
      const body = await bodyOf(sides[0], paths[0] ?? '')
      const runs = await contend({ ...options, sides, serverPid, pathsOf: () => paths })
      const { name: request, title } = asked
      const one = { database, request, title, bytes: Buffer.byteLength(body), runs }
      measured.push(one)
      sayRatios(one, name)
    }
  } finally {
    await Promise.all(sides.map((one) => one.stop()))
  }
  return measured
}

export async function measureGrowth(prepared: Prepared, known: Known, options: Options): Promise<Measured[]> {
  const first = await prepare(prepared.name, madeSingly)
  if (first === undefined) throw new Error(`${prepared.name} is gone`)
  const measured: Measured[] = []
  for (const side of options.sides)
    measured.push(...(await measureSide(side, [prepared, first], known, options)))
  return measured
}
