import express from 'express'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { strapi5 } from '../../extensions/strapi'
import { contentRouter } from '../../lib'
import { eachDatabase, type World } from '../support/databases'
import { recordingOf, type Recording } from '../support/recordings'
import { deviations } from './deviations'
import { firstDifference } from './difference'
import {
  casesByGroup,
  replay,
  roleHeader,
  serve,
  type Case,
  type Disagreement,
  type Host,
  type Judge,
} from './replay'

// GROUP=sort,filters and N=12,15 narrow what is replayed, and N prints both answers.
const chosen = (variable: string): readonly string[] => process.env[variable]?.split(',') ?? []
const groups = chosen('GROUP')
const numbers = chosen('N')

function isReplayed({ n, group }: Case): boolean {
  if (numbers.length > 0 && !numbers.includes(String(n))) return false
  return groups.length === 0 || groups.includes(group)
}

/** Never-failing requests are numbered apart from the recorded ones. */
const judge =
  ({ knex }: World): Judge =>
  async (asked, got) => {
    if (asked.expected === 'never 500') {
      return got.status < 500 ? undefined : `expected no 5xx, got ${String(got.status)}`
    }
    const deviation = deviations.get(asked.n)
    return deviation === undefined
      ? firstDifference(asked.request, asked.expected, got)
      : deviation.differenceOf(asked, got, knex)
  }

type Options = Pick<Parameters<typeof contentRouter>[0], 'permissions' | 'pagination' | 'defaultLocale'>

function optionsOf({ folder }: Recording): Options {
  return JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Options
}

async function serveRecording(recording: Recording, world: World): Promise<Host> {
  const router = contentRouter({
    extensions: [strapi5()],
    ...optionsOf(recording),
    contentTypes: recording.contentTypes,
    database: world.config,
    role: (req) => req.get(roleHeader) ?? 'public',
  })
  world.closing(router)
  return serve(express().use('/api', router))
}

function inFull({ asked: { expected }, got }: Disagreement): string {
  return numbers.length > 0
    ? `\nexpected ${JSON.stringify(expected, null, 2)}\ngot ${JSON.stringify(got, null, 2)}`
    : ''
}

function describeAll(disagreements: readonly Disagreement[]): readonly string[] {
  return disagreements.map((it) => {
    const { n, request, role } = it.asked
    return `${String(n)} ${request} as ${role}\n${it.difference}${inFull(it)}`
  })
}

describe('every deviation from the recordings', () => {
  const table = readFileSync(join(__dirname, 'recordings', 'DEVIATIONS.md'), 'utf8')

  it.each([...deviations])('of case %s is one that is written down', (_n, { row }) => {
    expect(table).toContain(`| ${row} |`)
  })
})

eachDatabase((database) => {
  const recording = recordingOf(database.name)
  const world = database.restored()
  const report: string[] = []
  let host: Host

  beforeAll(async () => {
    host = world.closing(await serveRecording(recording, world))
  })

  afterAll(() => {
    process.stdout.write(`Agreement with the recorded answers on ${database.name}:\n${report.join('')}\n`)
  })

  const replayed = [...casesByGroup(recording)].map(
    ([group, cases]) => [group, cases.filter(isReplayed)] as const,
  )

  it.each(replayed.filter(([, cases]) => cases.length > 0))(
    'answers group %s as recorded',
    async (group, cases) => {
      const disagreements = await replay(host, cases, judge(world))
      const agreed = cases.length - disagreements.length
      report.push(`  ${group.padEnd(22)}${String(agreed).padStart(4)}/${String(cases.length)}\n`)
      expect(describeAll(disagreements)).toEqual([])
    },
    120_000,
  )
})
