// Mutation test: see README.md.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseMutants, type Mutant } from './places'
import { openResults, renderTable, type Results, saveResults, type SpecRun, type Verdict } from './results'
import { makeScratch } from './scratch'
import { listSpecs, readReached, runSpecs, type Stage } from './suite'

/** Spec files for other databases than SQLite name them or one of these. The others do the same on each. */
const usesDatabases = /\b(eachDatabase|describeOn|testDatabases|databaseNames)\b|'(mariadb|mysql|postgres)'/

/** Other programs on the machine may slow a spec file down. */
const limitOf = (seconds: number): number => 90 + 5 * seconds

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const now = (): number => performance.now() / 1000

const text = (value: string) => ({ type: 'string', default: value }) as const

/** See README.md. Paths may follow `--specs` one by one. */
function readSettings() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...{
        checkout: text('.'),
        out: text('mutants.json'),
        only: text(''),
        specs: text(''),
        without: text(''),
      },
      ...{ total: text('64'), seed: text('1'), workers: text('2'), budget: text('300') },
      long: { type: 'boolean', default: false },
    },
  })
  const listOf = (value: string): readonly string[] => value.split(',').filter((word) => word !== '')
  return {
    checkout: realpathSync(values.checkout),
    out: resolve(values.out),
    specs: [...listOf(values.specs), ...positionals],
    without: listOf(values.without),
    isLong: values.long || values.specs !== '',
    only: listOf(values.only).map(Number),
    total: Number(values.total),
    seed: Number(values.seed),
    workers: Number(values.workers),
    budget: Number(values.budget),
  }
}

interface Work {
  readonly settings: ReturnType<typeof readSettings>
  readonly scratch: string
  readonly mutants: readonly Mutant[]
  readonly results: Results
}

function specsFor(stage: Stage, { settings, results }: Work): readonly string[] {
  const { checkout, specs, without, isLong } = settings
  const isNamed = (spec: string): boolean => specs.length === 0 || specs.some((path) => spec.startsWith(path))
  const named = listSpecs(checkout, isLong).filter(
    (spec) => isNamed(spec) && !without.some((word) => spec.includes(word)),
  )
  if (stage === 'sqlite') return named
  const hasFailed = (spec: string): boolean => results.recorded.sqlite?.[spec]?.passed === false
  return named.filter(
    (spec) => usesDatabases.test(readFileSync(join(checkout, spec), 'utf8')) && !hasFailed(spec),
  )
}

/** A run that is interrupted goes on behind the last of so many spec files. */
const chunk = 40

async function recordChunk(
  stage: Stage,
  specs: readonly string[],
  workers: number,
  { scratch, mutants }: Work,
): Promise<Readonly<Record<string, SpecRun>>> {
  const order = { stage, specs, mutant: 0, limitOf: () => Infinity }
  const { failed, seconds } = await runSpecs(scratch, order, workers)
  const reached = readReached(scratch)
  const idOf = new Map(mutants.map(({ number, id }) => [number, id]))
  const runOf = (spec: string): SpecRun => ({
    seconds: seconds[spec] ?? 0,
    passed: !failed.has(spec),
    reached: [...(reached.get(spec) ?? [])].map((number) => idOf.get(number) ?? ''),
  })
  for (const failure of failed) say(`  fails without a mutant: ${failure.join(': ')}`)
  return Object.fromEntries(specs.map((spec) => [spec, runOf(spec)]))
}

/** Runs the specs with no mutant, those that fail a second time alone: a failure may be the machine's. */
async function record(stage: Stage, work: Work): Promise<void> {
  const { settings, results } = work
  const recorded = (results.recorded[stage] ??= {})
  for (;;) {
    const specs = specsFor(stage, work)
      .filter((spec) => recorded[spec] === undefined)
      .slice(0, chunk)
    if (specs.length === 0) return
    say(`${stage}: ${String(specs.length)} spec files without a mutant, from ${specs[0] ?? ''}`)
    const runs = await recordChunk(stage, specs, settings.workers, work)
    const failed = specs.filter((spec) => runs[spec]?.passed === false)
    const again = failed.length === 0 ? {} : await recordChunk(stage, failed, 1, work)
    Object.assign(recorded, runs, again)
    saveResults(settings.out, results)
  }
}

/** The most related first: short ones, and those that reach few other places. */
function relatedTo(id: string, recorded: Readonly<Record<string, SpecRun>>): readonly string[] {
  const costOf = ({ seconds, reached }: SpecRun): number => seconds * reached.length
  return Object.entries(recorded)
    .filter(([, { passed, reached }]) => passed && reached.includes(id))
    .sort(([, one], [, other]) => costOf(one) - costOf(other))
    .map(([spec]) => spec)
}

async function judge(stage: Stage, { number, id }: Mutant, work: Work): Promise<Verdict> {
  const { scratch, settings, results } = work
  const recorded = results.recorded[stage] ?? {}
  const secondsOf = (spec: string): number => recorded[spec]?.seconds ?? 0
  const related = relatedTo(id, recorded)
  let sum = 0
  const allowed = related.filter((spec) => (sum += secondsOf(spec)) <= settings.budget * settings.workers)
  const began = now()
  const run = (specs: readonly string[]) =>
    runSpecs(
      scratch,
      { stage, specs, mutant: number, limitOf: (spec) => limitOf(secondsOf(spec)) },
      settings.workers,
    )
  const verdict = (killedBy: string | null, why = ''): Verdict => ({
    ...{ killedBy, why, reachedBy: related.length, allowed: allowed.length },
    seconds: Math.round(now() - began),
  })

  let specs = allowed
  while (specs.length > 0) {
    const { failed, hanging, seconds } = await run(specs)
    const [first, second] = failed
    if (first === undefined) return verdict(hanging, hanging === null ? '' : 'hangs')
    const again = second ?? [...(await run([first[0]])).failed][0]
    if (again !== undefined) return verdict(...first)
    say(`  ${first.join(': ')}: failed once, and passed when it ran alone`)
    specs = specs.filter((spec) => spec !== first[0] && seconds[spec] === undefined)
  }
  return verdict(null)
}

async function passStage(stage: Stage, wanted: readonly Mutant[], work: Work): Promise<void> {
  const { settings, results } = work
  const { verdicts } = results
  const open = wanted.filter(({ id }) => verdicts[stage][id] === undefined)
  if (open.length === 0) return
  await record(stage, work)
  for (const mutant of open) {
    const verdict = await judge(stage, mutant, work)
    const outcome = verdict.killedBy === null ? 'survived' : `killed by ${verdict.killedBy}`
    const { number, file, line, change } = mutant
    say(
      `${stage} ${String(number)} ${file}:${String(line)} ${change}: ${outcome}, ${String(verdict.seconds)} s`,
    )
    verdicts[stage][mutant.id] = verdict
    saveResults(settings.out, results)
  }
}

async function main(): Promise<void> {
  const settings = readSettings()
  const { checkout, out, seed, total, only } = settings
  if (!existsSync(join(checkout, 'dist', 'lib')))
    throw new Error(`run \`npm run build\` in ${checkout} first`)
  const mutants = chooseMutants(checkout, seed, total)
  const results = openResults(out, mutants)
  const name = createHash('sha256').update(`${checkout} ${out}`).digest('hex').slice(0, 8)
  const scratch = join(tmpdir(), `content-router-mutants-${name}`)
  makeScratch(checkout, scratch, mutants)
  const work = { settings, scratch, mutants, results }
  const wanted = mutants.filter(({ number }) => only.length === 0 || only.includes(number))
  await passStage('sqlite', wanted, work)
  const survivors = wanted.filter(({ id }) => results.verdicts.sqlite[id]?.killedBy === null)
  await passStage('others', survivors, work)
  const table = renderTable(results)
  writeFileSync(out.replace(/(\.json)?$/, '.md'), table)
  say(table)
}

void main()
