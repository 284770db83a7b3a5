import { parseArgs } from 'node:util'
import { type FilledDatabase, filledDatabases, measuredDatabases } from './measured-databases'
import { type Client, clients } from './measure/run'
import type { SideName } from './side'
import { folderBefore } from './sides/variants'

export interface Options {
  readonly full: boolean
  readonly databases: readonly FilledDatabase[]
  readonly sides: readonly SideName[]
  /** Names of requests; empty for those that the length of the run calls for. */
  readonly requests: readonly string[]
  readonly rounds: number
  /** How long one run of one side lasts, about. */
  readonly seconds: number
  /** How long a side is asked before anything counts, about: the engine compiles what is called often. */
  readonly warm: number
  readonly connections: number
  readonly client: Client
  readonly articles: number
  readonly strapi: boolean
  readonly peers: boolean
  /** Sides on all articles beside themselves on the first 20,000. */
  readonly growth: boolean
  /** What the dearest requests cost that the default limits let through. */
  readonly dearest: boolean
  /** How costs grow with the links of a sort, and with conditions side by side. */
  readonly steps: boolean
  /** Texts that differ beside one that comes again. */
  readonly texts: boolean
  /** Late pages beside the first, and documents in other locales. */
  readonly pages: boolean
  /** What a process holds on to after many of the largest texts. */
  readonly kept: boolean
  /** Weighs what the first large answer of a process takes. */
  readonly memory: boolean
  /** Tells where the CPU of this side goes. */
  readonly profile: string
}

const usualSides: readonly SideName[] = ['ours', 'limit', 'knex', 'memory', 'http']
const sideNames: readonly SideName[] = [...usualSides, 'strict', 'aged', 'cold', 'before']

export const usage = `npm run bench -- [options]

  --full                 every request, texts that differ, more rounds
  --strapi               Strapi 5 beside ours, on a database that both read
  --memory               what Q7 takes of the system the first time, in bodies of its answer
  --peers                Drizzle and Objection beside ours, on PostgreSQL
  --texts                what it costs ours that texts differ, in values or in what they ask
  --pages                late pages by cursors and by numbers beside the first, one entry by its slug, other locales
  --kept                 what a process holds on to after 20,000 of the largest texts, all different
  --growth               each side on --articles beside itself on 20,000
  --dearest              what the dearest requests cost that the default limits let through
  --steps                what sorts cost by their links, and conditions side by side by their number
  --profile side         where the CPU of that side goes, function by function
  --databases a,b        of ${filledDatabases.join(', ')}; mysql only with --dearest and --steps
  --sides a,b            of ${sideNames.join(', ')};
                         strict, aged and cold are ours with a cache that asks for every request,
                         one that asks now and then, and one in which nothing fits
  --before folder        a checkout of another commit, with its packages: what the side before runs
  --requests a,b         of q1, q1n, q2, q3, q3n, q4, q5, q6, q7, q7s, q3h, np, nr, none, count
  --rounds n             runs of each side for each request
  --seconds n            length of one run, about
  --warm n               seconds for which each side is asked first
  --connections n        how many ask at once
  --client name          who asks: ${clients.join(' or ')}
  --articles n           size of the data set
`

function chosen<T extends string>(text: string, known: readonly T[]): readonly T[] {
  return text.split(',').map((name) => {
    const found = known.find((one) => one === name)
    if (found === undefined) throw new Error(`there is no ${name}; there are ${known.join(', ')}`)
    return found
  })
}

const definitions = {
  full: { type: 'boolean', default: false },
  strapi: { type: 'boolean', default: false },
  peers: { type: 'boolean', default: false },
  growth: { type: 'boolean', default: false },
  dearest: { type: 'boolean', default: false },
  steps: { type: 'boolean', default: false },
  texts: { type: 'boolean', default: false },
  pages: { type: 'boolean', default: false },
  kept: { type: 'boolean', default: false },
  memory: { type: 'boolean', default: false },
  profile: { type: 'string', default: '' },
  before: { type: 'string' },
  help: { type: 'boolean', default: false },
  databases: { type: 'string' },
  sides: { type: 'string' },
  requests: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  warm: { type: 'string', default: '1' },
  connections: { type: 'string', default: '8' },
  client: { type: 'string', default: 'autocannon' },
  articles: { type: 'string', default: '20000' },
} as const

export function readOptions(): Options | undefined {
  const { values } = parseArgs({ options: definitions })
  if (values.help) return undefined
  if (values.before !== undefined) process.env[folderBefore] = values.before
  const { full, strapi, peers, growth, dearest, steps, texts, pages, kept, memory, profile } = values
  return {
    full,
    strapi,
    peers,
    growth,
    dearest,
    steps,
    texts,
    pages,
    kept,
    memory,
    profile,
    databases:
      values.databases === undefined
        ? dearest || steps
          ? filledDatabases
          : measuredDatabases
        : chosen(values.databases, filledDatabases),
    sides: values.sides === undefined ? usualSides : chosen(values.sides, sideNames),
    requests: values.requests === undefined ? [] : values.requests.split(','),
    rounds: Number(values.rounds ?? (full ? 7 : 3)),
    seconds: Number(values.seconds ?? 1),
    warm: Number(values.warm),
    connections: Number(values.connections),
    client: chosen(values.client, clients)[0] ?? 'autocannon',
    articles: Number(values.articles),
  }
}
