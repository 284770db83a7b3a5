import express from 'express'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentRouter, strapi5 } from '../../lib'
import { eachDatabase, type World } from '../support/databases'
import { recordingOf, type Recording } from '../support/recordings'
import { casesByGroup, replay, roleHeader, serve, type Case, type Disagreement, type Host } from './replay'

const groupsDone = ['list', 'fields', 'pagination']

// `npm run conformance` replays every group; GROUP=sort,filters and N=12,15 narrow it, and N prints both answers.
const chosen = (variable: string): readonly string[] => process.env[variable]?.split(',') ?? []
const groups = chosen('GROUP')
const numbers = chosen('N')

function isReplayed({ n, group }: Case): boolean {
  if (numbers.length > 0 && !numbers.includes(String(n))) return false
  if (groups.length > 0) return groups.includes(group)
  return numbers.length > 0 || process.env['CONFORMANCE'] === 'all' || groupsDone.includes(group)
}

type Options = Pick<Parameters<typeof contentRouter>[0], 'permissions' | 'pagination' | 'defaultLocale'>

function optionsOf({ folder }: Recording): Options {
  return JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Options
}

async function serveRecording(recording: Recording, world: World): Promise<Host> {
  const router = contentRouter({
    ...strapi5,
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
      const disagreements = await replay(host, cases)
      const agreed = cases.length - disagreements.length
      report.push(`  ${group.padEnd(22)}${String(agreed).padStart(4)}/${String(cases.length)}\n`)
      expect(describeAll(disagreements)).toEqual([])
    },
    120_000,
  )
})
