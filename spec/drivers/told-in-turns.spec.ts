import { makeChangeBook } from '../../lib/feed/change-book'
import type { FollowedLog } from '../../lib/feed/followed-log'
import { readSnapshot } from '../../lib/feed/snapshot'
import { makeWaiting } from '../../lib/feed/waiting'
import { makeWaitingCommits } from '../../lib/feed/waiting-commits'
import { watchLog } from '../../lib/feed/watched-log'
import { describeOn, testDatabase } from '../support/databases'

describeOn(['postgres'])('many commits that are told by the log of %s', (database) => {
  const world = testDatabase(database).fresh()

  it('are told of in turns, so that others are served in between', async () => {
    await world.knex.raw('create publication content_router for all tables')
    const ask = async (sql: string): Promise<readonly (readonly unknown[])[]> => {
      const { rows } = await world.knex.raw<{ rows: unknown[][] }>(sql).options({ rowMode: 'array' })
      return rows
    }
    const [[text] = []] = await ask('select pg_current_snapshot()::text')
    const snapshot = readSnapshot(String(text))
    if (snapshot === null) throw new Error('the server tells no snapshot')
    const commits = makeWaitingCommits()
    const followed: FollowedLog = {
      ...{ commits, book: makeChangeBook(snapshot), waiting: makeWaiting() },
      reached: () => 0n,
      covered: () => {
        throw new Error('not asked')
      },
      readCovered: () => undefined,
      isOver: () => false,
    }
    const told: string[] = []
    const watched = await watchLog(followed, {
      ...{ ask, publication: 'content_router', server: `''` },
      isRead: () => true,
      account: () => Promise.resolve(),
      onChanged: (tables) => {
        if (tables === null) return
        told.push(...tables.keys())
        // As many who listen take their time.
        for (const until = performance.now() + 2; performance.now() < until;);
      },
    })
    const all = Array.from({ length: 100 }, (_, place) => `table ${String(place)}`)
    for (const [place, table] of all.entries())
      commits.push({
        transaction: (snapshot.lowest - 1 - place) % 2 ** 32,
        tables: new Map([[table, { all: [], published: [], columns: 1 }]]),
        isPlain: true,
      })
    let turns = 0
    while (commits.size() > 0) {
      expect(await watched?.tellCommits()).toBe(true)
      turns += 1
    }
    expect(told).toEqual(all)
    expect(turns).toBeGreaterThan(5)
  })
})
