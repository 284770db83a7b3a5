import { setTimeout as pause } from 'node:timers/promises'
import { strapi5 } from '../../extensions/strapi'
import { migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import type { Answer } from '../support/asker'
import { eachDatabase } from '../support/databases'
import { onOwnServer } from '../support/own-server'
import { facts, type History, makeHistory } from '../support/race/history'
import { faultsOf, type Post, spanOf } from '../support/race/judge'
import { type ReaderProcess, startReaders } from '../support/race/processes'
import { makeTagRegister, type TagRegister } from '../support/race/tag-register'
import { content, contentTypes, writePermissions } from '../support/race/types'

/** Some minutes' worth; docs/contributing/soak-and-cluster.md has the figures of 4000. */
const readings = Number(process.env['RACE_READINGS'] ?? (process.env['SWEEP'] === 'all' ? 600 : 300))
const rounds = readings / 20
const clients = 12
const longest = 60_000 + readings * 100

/** Until MariaDB's and MySQL's counters have stood for as long as something is kept by, and have been purged. */
const quiet = { sqlite: 5, postgres: 5, mysql: 250 } as const

const paths = ['', '&sort=title', '&pagination[withCount]=false'].map(
  (more) =>
    `/api/posts?populate[seo]=true&populate[writer][populate]=place&populate[series]=true&populate[note]=true&populate[tags]=true${more}`,
)
const [path = ''] = paths

const postIn = (body: string): Post => {
  const [post] = (JSON.parse(body) as { readonly data: readonly Post[] }).data
  if (post === undefined) throw new Error('the post is gone')
  return post
}

const askAbout = (tag: string): Readonly<Record<string, string>> =>
  tag === '' ? {} : { 'If-None-Match': tag }

/** What is known of all processes' answers, as one. */
interface Outcome {
  asked: number
  notModified: number
  readonly stale: string[]
  readonly falselyNotModified: string[]
}

/** Printed where somebody says how many readings there are to be. */
function tell(database: string, words: string, figures: Readonly<Record<string, unknown>>): void {
  if (process.env['RACE_READINGS'] === undefined) return
  process.stdout.write(`${database}, ${words}: ${JSON.stringify(figures)}\n`)
}

eachDatabase((database) => {
  const world = onOwnServer(database, () => database.fresh())
  let history: History
  let processes: readonly ReaderProcess[] = []

  beforeAll(async () => {
    const config = { contentTypes, database: world.config }
    await migrate({ ...config, extensions: [strapi5()] })
    await seed(config, content)
    history = makeHistory(world.config, await writePermissions(world))
    if (database.dialect === 'sqlite') await world.knex.raw('pragma journal_mode = wal')
    processes = await startReaders(world.config, 4)
  }, 60_000)

  afterAll(() => Promise.all(processes.map((process) => process.close())))

  const hitsOfEach = async (): Promise<readonly number[]> =>
    (await Promise.all(processes.map(({ stats }) => stats()))).map(({ hits }) => hits)

  /** Once nobody writes; a busy machine may take its time until the server's log stands still. */
  async function untilAllRemember(): Promise<void> {
    const before = await hitsOfEach()
    const until = Date.now() + 30_000
    for (let hits = before; hits.some((count, place) => count === before[place]); hits = await hitsOfEach()) {
      if (Date.now() > until) throw new Error(`one remembers nothing: ${hits.join(', ')}`)
      await pause(quiet[database.dialect])
      await Promise.all(processes.map(({ ask }) => ask(path, {})))
    }
  }

  const counts = (outcome: Outcome, tags: TagRegister): Record<string, number> => ({
    asked: outcome.asked,
    notModified: outcome.notModified,
    stale: outcome.stale.length,
    falselyNotModified: outcome.falselyNotModified.length,
    tags: tags.size(),
    tagsOfSeveral: tags.ofSeveral(),
    tagsOfTwoBodies: tags.ofTwoBodies().length,
  })

  it(
    'a commit is served by each of four processes as soon as it is acknowledged',
    async () => {
      const tags = makeTagRegister()
      const outcome: Outcome = { asked: 0, notModified: 0, stale: [], falselyNotModified: [] }
      const askAll = (tag = ''): Promise<readonly Answer[]> => {
        outcome.asked += processes.length
        return Promise.all(processes.map(({ ask }) => ask(path, askAbout(tag))))
      }
      const tell304s = (answers: readonly Answer[]): number =>
        (outcome.notModified += answers.filter(({ status }) => status === 304).length)
      for (let round = 1; round <= rounds; round += 1) {
        // So that there is something in every memory, and a tag in every hand, that no longer holds.
        await pause(quiet[database.dialect])
        await askAll()
        await pause(quiet[database.dialect])
        const before = await askAll()
        for (const [place, answer] of before.entries()) tags.add(answer, { path, place })
        tell304s(await askAll(before[0]?.headers.etag))
        const known = [...new Set(before.flatMap(({ headers }) => headers.etag ?? []))].join(', ')
        const title = `acknowledged ${String(round)}`
        await world.knex('posts').update({ title })
        const [bare, asking] = await Promise.all([askAll(), askAll(known)])
        const shown = [...bare, ...asking.filter(({ status }) => status !== 304)]
        outcome.falselyNotModified.push(...asking.filter(({ status }) => status === 304).map(() => title))
        outcome.stale.push(...shown.map(({ body }) => postIn(body).title).filter((one) => one !== title))
      }
      tell(database.name, 'acknowledged', { ...counts(outcome, tags), hits: await hitsOfEach() })
      expect([outcome.stale, outcome.falselyNotModified, tags.ofTwoBodies()]).toEqual([[], [], []])
      expect(outcome.notModified).toBeGreaterThan(rounds / 2)
      await untilAllRemember()
    },
    longest,
  )

  /** One of those who ask: by turns in all processes, or always in the same, with the tag of what came last. */
  async function askOn(
    client: number,
    outcome: Outcome,
    see: (answer: Answer, at: { readonly path: string; readonly place: number }) => void,
  ): Promise<void> {
    const kept = new Map<string, Answer>()
    for (let turn = 0; outcome.asked < readings; turn += 1) {
      outcome.asked += 1
      const place = (client % 2 === 0 ? client / 2 : client + turn) % processes.length
      const path = paths[(client + turn) % paths.length] ?? ''
      const known = kept.get(path)
      const from = performance.now()
      const answer = await processes[place]?.ask(path, askAbout(known?.headers.etag ?? ''))
      if (answer === undefined) throw new Error('there is no such process')
      const span = spanOf(history, facts, from)
      const isUnchanged = answer.status === 304
      if (isUnchanged) outcome.notModified += 1
      else if (answer.status !== 200) throw new Error(`${String(answer.status)}: ${answer.body}`)
      else {
        kept.set(path, answer)
        see(answer, { path, place })
      }
      const faults = faultsOf(postIn((isUnchanged ? known : answer)?.body ?? ''), span, true)
      outcome[isUnchanged ? 'falselyNotModified' : 'stale'].push(...faults)
    }
  }

  it(
    'no response or ETag of four processes is stale while others write',
    async () => {
      await world.knex('posts').update({ title: String(history.most('row')) })
      const tags = makeTagRegister()
      const outcome: Outcome = { asked: 0, notModified: 0, stale: [], falselyNotModified: [] }
      const before = await hitsOfEach()
      const all = Array.from({ length: clients }, (_, client) => client)
      await history.during(() => Promise.all(all.map((client) => askOn(client, outcome, tags.add))))
      const hits = (await hitsOfEach()).map((after, place) => after - (before[place] ?? 0))
      tell(database.name, 'among writers', { ...counts(outcome, tags), hits })
      expect([outcome.stale, outcome.falselyNotModified, tags.ofTwoBodies()]).toEqual([[], [], []])
      expect(outcome.notModified).toBeGreaterThan(0)
      await untilAllRemember()
      // A tag of SQLite is known to its process alone.
      if (database.dialect === 'sqlite') expect(tags.ofSeveral()).toBe(0)
      else expect(tags.ofSeveral()).toBeGreaterThan(0)
    },
    longest,
  )
})
