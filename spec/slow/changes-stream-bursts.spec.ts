import { setTimeout as pause } from 'node:timers/promises'
import type { ChangesOptions } from '../../extensions/changes'
import type { ContentRouterConfig } from '../../lib'
import { type ChangeListener, listenTo } from '../support/change-listener'
import { describeOn, testDatabase } from '../support/databases'
import { type Cached, onFollowedLibrary } from '../support/feed'
import { gateFor } from '../support/gate'
import { roleHeader } from '../support/served'
import { until } from '../support/told-changes'

describeOn(['postgres'])('GET /changes on %s with many commits', (name) => {
  const followed = onFollowedLibrary(testDatabase(name))
  const { world } = followed
  const permissions = {
    public: { find: ['author', 'book'] },
    editor: { find: '*', drafts: '*' },
  } as const

  const serve = (
    options: Partial<ContentRouterConfig> = {},
    stream: ChangesOptions['stream'] = true,
  ): Promise<Cached> => followed.serve({ permissions, ...options }, { stream })

  const listeners: ChangeListener[] = []
  // A listener that is left behind would keep its server open.
  afterEach(() => {
    for (const listener of listeners.splice(0)) listener.leave()
  })
  const listen = async (served: Cached, role = 'public', id?: string): Promise<ChangeListener> => {
    const headers = { [roleHeader]: role, ...(id === undefined ? {} : { 'Last-Event-ID': id }) }
    const listener = await listenTo(`${served.origin}/api/changes`, headers)
    listeners.push(listener)
    await listener.hears(({ event }) => event === 'ready')
    return listener
  }

  /** The router follows the log once it has sent a reset to all. */
  const settled = async (served: Cached): Promise<void> => {
    const listener = await listen(served, 'editor')
    await Promise.race([listener.hears(({ event }) => event === 'reset'), pause(2500)])
    listener.leave()
  }

  const insert = (table: string, id: string, more: object = {}): Promise<unknown> =>
    world
      .knex(table)
      .insert({ document_id: id, ...more })
      .then(() => undefined)

  it('sends no reset for any number of drafts to a role without drafts, and one for published rows', async () => {
    const served = await serve()
    await settled(served)
    const [visitor, editor] = [await listen(served), await listen(served, 'editor')]
    await insert('authors', 'd1')
    await visitor.hears(({ data }) => JSON.stringify(data).includes('d1'))
    const many = (count: number, published: string): Promise<unknown> =>
      world.knex.raw(
        `insert into books (document_id, published_at) select 'm' || n, ${published} from generate_series(1, ${String(count)}) n`,
      )
    await many(3000, 'null')
    await editor.hears(({ event }) => event === 'reset')
    await insert('authors', 'd2')
    await visitor.hears(({ data }) => JSON.stringify(data).includes('d2'))
    const heard = visitor.events.slice(1)
    expect(heard.map(({ event }) => event)).toEqual(['change', 'change'])
    await many(3000, 'now()')
    await visitor.hears(({ event }) => event === 'reset')
  })

  /** Commits each row for itself. */
  const write = (count: number, into: string): Promise<unknown> =>
    world.knex.raw(
      `do $$ begin for n in 1..${String(count)} loop insert into ${into}; commit; end loop; end $$`,
    )
  const drafts = `books (document_id) values ('d' || n)`

  it('resumes across any number of hidden commits, and sends a reset across too many visible ones', async () => {
    const served = await serve()
    await settled(served)
    const witness = await listen(served)
    const [left] = witness.events
    await insert('authors', 'e1')
    await insert('books', 'e2', { published_at: new Date() })
    await write(1500, drafts)
    await insert('authors', 'e3')
    await witness.hears(({ data }) => JSON.stringify(data).includes('e3'))
    const [visitor, other] = [
      await listen(served, 'public', left?.id),
      await listen(served, 'editor', left?.id),
    ]
    const sent = visitor.events.map(({ event, data }) => [
      event,
      ...(JSON.stringify(data).match(/e\d/g) ?? []),
    ])
    expect(sent).toEqual([['change', 'e1'], ['change', 'e2'], ['change', 'e3'], ['ready']])
    expect(other.events.map(({ event }) => event)).toEqual(['reset', 'ready'])
    await write(1500, `authors (document_id) values ('e' || n)`)
    // Events amid the burst are part of the reset.
    for (let tries = 0; !witness.text().includes('after-') && tries < 100; tries += 1) {
      await insert('authors', `after-${String(tries)}`)
      await pause(100)
    }
    const late = await listen(served, 'public', left?.id)
    expect(late.events.map(({ event }) => event)).toEqual(['reset', 'ready'])
  })

  it('keeps a listener whose permissions take long, across any number of hidden commits', async () => {
    const gate = gateFor(1)
    let isSlow = false
    const role = (): 'public' | Promise<string> => (isSlow ? gate.pass() : 'public')
    const served = await serve({ role })
    await settled(served)
    const listener = await listen(served)
    isSlow = true
    await insert('authors', 'f1')
    await gate.crowd
    await write(1500, drafts)
    await insert('authors', 'f2')
    await pause(500)
    gate.open()
    await listener.hears(({ data }) => JSON.stringify(data).includes('f2'))
    expect(listener.events.slice(1).map(({ event }) => event)).toEqual(['change', 'change'])
  })

  describe('in a burst', () => {
    /** Faster than the reader of the log wakes up. */
    const burst = (rounds: number): Promise<unknown> =>
      world.knex.raw(`do $$ begin
        for round in 1..${String(rounds)} loop
          insert into authors (document_id) select repeat('x', 220) || round || '-' || n from generate_series(1, 100) n;
          commit;
        end loop;
      end $$`)

    it('sends a reset to a listener that reads, in place of more than it can take at once', async () => {
      const served = await serve()
      await settled(served)
      const listener = await listen(served)
      await burst(60)
      const isOver = (): boolean =>
        listener.events.some(({ data }) => JSON.stringify(data).includes('after-'))
      // Events amid the burst are part of the reset.
      for (let tries = 0; !isOver() && tries < 100; tries += 1) {
        await insert('authors', `after-${String(tries)}`)
        await pause(100)
      }
      expect([isOver(), listener.isOver()]).toEqual([true, false])
    }, 60_000)

    it('drops a listener that does not read', async () => {
      const served = await serve({}, { heartbeat: 200, maxListeners: 1 })
      await settled(served)
      const slow = await listen(served)
      slow.response.pause()
      const isPlaceFree = async (): Promise<boolean> => {
        const next = await listenTo(`${served.origin}/api/changes`)
        next.leave()
        return next.response.statusCode === 200
      }
      // A socket buffers some megabytes for a client that does not read.
      while (!(await isPlaceFree())) for (let round = 0; round < 50; round += 1) await burst(2)
      slow.response.resume()
      await until(() => (slow.isOver() ? true : undefined), 'the stream is still open')
    }, 120_000)
  })
})
