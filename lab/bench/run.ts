import { filledDatabases } from './measured-databases'
import { answers, besides, pathsFor, wanted } from './answers'
import { documentId } from './data/words'
import { prepare, type Prepared } from './data/prepare'
import { type Asked as Dear, measureDearest, measureSteps, sayDearest } from './dearest'
import { measureGrowth } from './growth'
import { measureKept } from './kept'
import { bodyOf, contend } from './measure/compare'
import { firstGrowth } from './measure/memory'
import { type RunningSide, startSide } from './measure/running-side'
import { type Options, readOptions, usage } from './options'
import { firstDifference, sameMeaning } from './measure/same-body'
import { forgetProfile, sayProfile } from './measure/profile'
import { type Measured, say, sayFirstGrowth, sayGrowth, sayRatios, sayWithin, writeResults } from './report'
import { type Asked, requests } from './requests'
import { startPeers } from './peers'
import { isOurs } from './sides/variants'
import { startStrapi } from './strapi'
import { measurePages } from './pages'
import { measureTexts } from './texts'

const known = { prolific: documentId('author', 1), lesser: documentId('author', 2) }

/** Sides that leave the order of members to their tools. */
const byMeaning = new Set(['knex', ...besides])

/** Of no use is a comparison of answers that differ. */
async function compareBodies(sides: readonly RunningSide[], asked: Asked, body: string): Promise<void> {
  for (const side of sides) {
    if (side.name === 'ours') continue
    const theirs = await bodyOf(side, pathsFor(side.name, asked)[0] ?? '')
    const same = byMeaning.has(side.name) ? sameMeaning(theirs, body) : theirs === body
    if (!same)
      throw new Error(`${side.name} answers ${asked.name} otherwise: ${firstDifference(theirs, body)}`)
  }
}

async function measureRequest(
  prepared: Prepared,
  sides: readonly RunningSide[],
  asked: Asked,
  options: Options,
): Promise<Measured> {
  const ours = sides.find(({ name }) => name === 'ours')
  if (ours === undefined) throw new Error('ours must be among the sides')
  const body = await bodyOf(ours, asked.paths[0] ?? '')
  const able = sides.filter(({ name }) => answers(name, asked))
  for (const side of able) await side.tell({ tell: 'bodies', bodies: { [asked.name]: body } })
  await compareBodies(able, asked, body)
  const runs = await contend({
    ...options,
    sides: able,
    serverPid: prepared.serverPid,
    pathsOf: ({ name }) => pathsFor(name, asked),
  })
  const { name: request, title } = asked
  return { database: prepared.name, request, title, bytes: Buffer.byteLength(body), runs }
}

const deepPages = Array.from(
  { length: 150 },
  (_, index) => `/api/articles?pagination[pageSize]=100&pagination[page]=${String(index + 1)}`,
)

/** What Q7 takes of the system, beside the least that Express and node:http need for its bytes. */
async function measureMemory(prepared: Prepared, options: Options): Promise<void> {
  const { name, bench, recorded, recordedTypes } = prepared
  const given = { name, bench, recorded, recordedTypes, asStrapi: false, ...known } as const
  const all = requests(known).filter((asked) => ['q1', 'q3', 'q7'].includes(asked.name))
  const bodies: Record<string, string> = {}
  const first = await startSide({ ...given, side: 'ours' }, [])
  for (const asked of all) bodies[asked.name] = await bodyOf(first, asked.paths[0] ?? '')
  await first.stop()
  for (const side of options.sides) {
    const start = async (): Promise<RunningSide> => {
      const running = await startSide({ ...given, side }, ['--expose-gc'])
      await running.tell({ tell: 'bodies', bodies })
      return running
    }
    const paths = all.map((asked) => pathsFor(side, asked)[0] ?? '')
    const filling = isOurs(side) ? deepPages : []
    const weighed = { filling, usual: paths.slice(0, -1), large: paths.at(-1) ?? '' }
    sayFirstGrowth(side, await firstGrowth(start, weighed, options.rounds))
  }
}

async function measureDatabase(prepared: Prepared, options: Options): Promise<Measured[]> {
  const sides: RunningSide[] = []
  const measured: Measured[] = []
  forgetProfile()
  try {
    const { name, bench, recorded, recordedTypes } = prepared
    for (const side of options.sides) {
      sides.push(
        await startSide({ name, bench, recorded, recordedTypes, side, asStrapi: false, ...known }, []),
      )
    }
    for (const asked of requests(known)) {
      if (!wanted(options, asked)) continue
      const one = await measureRequest(prepared, sides, asked, options)
      measured.push(one)
      sayRatios(one, 'ours')
    }
  } finally {
    await Promise.all(sides.map((side) => side.stop()))
    if (options.profile !== '') sayProfile(`${prepared.name}, ${options.profile}`)
  }
  return options.full ? [...measured, ...(await measureTexts(prepared, known, options))] : measured
}

/** What Strapi can be asked: nothing that only we know of. */
const forStrapi = ['q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7']

async function measureBesideStrapi(prepared: Prepared, options: Options): Promise<Measured[]> {
  const strapi = await startStrapi(prepared)
  const { name } = prepared
  const { bench, recorded, types } = strapi.twin
  const given = {
    name,
    bench,
    recorded,
    recordedTypes: types.recorded,
    asStrapi: true,
  } as const
  const ours: RunningSide[] = []
  for (const side of options.sides.filter(isOurs))
    ours.push(await startSide({ ...given, side, ...known }, []))
  const measured: Measured[] = []
  try {
    for (const asked of requests(known)) {
      if (!forStrapi.includes(asked.name) || !wanted(options, asked)) continue
      const one = await measureRequest(prepared, [...ours, strapi[asked.source]], asked, options)
      measured.push(one)
      sayRatios(one, 'ours')
    }
  } finally {
    await Promise.all([...ours, strapi.bench, strapi.recorded].map((side) => side.stop()))
  }
  return measured
}

/** Deep pages, too: they are where tools that read all in one statement pay for the rows that are skipped. */
const forPeers = ['q1', 'q2', 'q3', 'q6']

async function measureBesidePeers(prepared: Prepared, options: Options): Promise<Measured[]> {
  if (prepared.name !== 'postgres') return []
  const { name, bench, recorded, recordedTypes } = prepared
  const given = { name, bench, recorded, recordedTypes, side: 'ours', asStrapi: false } as const
  const sides = [await startSide({ ...given, ...known }, []), ...(await startPeers(bench))]
  const measured: Measured[] = []
  try {
    for (const asked of requests(known)) {
      if (!forPeers.includes(asked.name)) continue
      const one = await measureRequest(prepared, sides, asked, options)
      measured.push(one)
      sayRatios(one, 'ours')
    }
  } finally {
    await Promise.all(sides.map((side) => side.stop()))
  }
  return measured
}

function measureOf({ strapi, peers, growth, texts, pages }: Options): typeof measureDatabase {
  if (strapi) return measureBesideStrapi
  if (growth) return (prepared, options) => measureGrowth(prepared, known, options)
  if (texts) return (prepared, options) => measureTexts(prepared, known, options)
  if (pages) return (prepared, options) => measurePages(prepared, known, options)
  return peers ? measureBesidePeers : measureDatabase
}

function kindOf(options: Options): string {
  const kind = (['strapi', 'peers', 'growth', 'texts', 'pages'] as const).find((one) => options[one])
  return `${kind === undefined ? '' : `${kind}-`}${options.full ? 'full' : 'short'}`
}

async function main(options: Options): Promise<void> {
  if (options.kept) {
    await measureKept()
    return
  }
  const measured: Measured[] = []
  const dearest: Dear[] = []
  for (const name of filledDatabases.filter((name) => options.databases.includes(name))) {
    const prepared = await prepare(name, options.articles)
    if (prepared === undefined) {
      say(`\n${name} is not installed`)
      continue
    }
    try {
      if (options.dearest) dearest.push(...(await measureDearest(prepared, known, options)))
      if (options.steps) await measureSteps(prepared, known)
      if (options.dearest || options.steps) continue
      const measure = measureOf(options)
      const found = await measure(prepared, options)
      for (const side of ['ours', 'limit']) sayWithin(found, side)
      sayGrowth(found, 'q7')
      if (options.memory) await measureMemory(prepared, options)
      measured.push(...found)
    } finally {
      await prepared.stop()
    }
  }
  if (options.dearest) sayDearest(dearest)
  else if (!options.steps) say(`\nAll figures: ${writeResults(kindOf(options), measured, 'ours')}`)
}

const options = readOptions()
if (options === undefined) say(usage)
else
  main(options).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
      process.exit(1)
    },
  )
