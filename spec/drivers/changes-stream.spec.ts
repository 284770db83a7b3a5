import { setTimeout as pause } from 'node:timers/promises'
import { type ContentRouterConfig, fromDatabase, migrate } from '../../lib'
import { type ChangeListener, type HeardEvent, listenTo } from '../support/change-listener'
import { describeOn, testDatabase } from '../support/databases'
import { type Cached, endSenders, onFollowedLibrary } from '../support/feed'
import { gateFor } from '../support/gate'
import { collection, library, relation } from '../support/library'
import { roleHeader } from '../support/served'
import { until } from '../support/told-changes'

describeOn(['postgres'])('GET /changes on %s', (name) => {
  const followed = onFollowedLibrary(testDatabase(name))
  const { world } = followed
  const permissions = {
    public: { find: ['author', 'book'] },
    editor: { find: '*', drafts: '*' },
    member: { find: { author: { where: { name: 'Ada' } }, genre: { fields: ['name'] } } },
    drafter: { find: ['author', 'book'], drafts: { book: { where: { title: 'none' } } } },
    nobody: {},
  } as const

  /** Longer than what stands in a sealed number by chance. */
  const untold = 'never-to-be-told'

  const serve = (options: Partial<ContentRouterConfig> = {}): Promise<Cached> =>
    followed.serve({ changes: true, permissions, ...options })

  const listeners: ChangeListener[] = []
  // A test that fails says nothing while somebody still listens: his server does not end.
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

  /** The router says that it follows by telling all to begin anew. */
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

  /** To a country that was there before anybody listened. */
  const linkAuthor = async (): Promise<void> => {
    const [author, country] = await Promise.all([
      world.knex('authors').first<{ readonly id: number }>('id'),
      world.knex('countries').first<{ readonly id: number }>('id'),
    ])
    await world.knex('authors_country_lnk').insert({ author_id: author.id, country_id: country.id })
  }

  it('tells each role of the types and documents that it may read, and of nothing else', async () => {
    const served = await serve()
    await insert('countries', 'first')
    await settled(served)
    const [visitor, editor] = [await listen(served), await listen(served, 'editor')]
    const [member, nobody] = [await listen(served, 'member'), await listen(served, 'nobody')]
    const drafter = await listen(served, 'drafter')
    await insert('genres', 'g1')
    await insert('books', 'draft', { title: 'x' })
    await insert('books', 'book', { title: 'x', published_at: new Date() })
    await insert('authors', 'a1')
    await world.knex('books_genres_lnk').update({ genre_ord: 3 })
    // The visitor may see all authors, and no country.
    await linkAuthor()
    await insert('countries', 'last')
    // Each is told once it is known what he may read.
    const tells = (what: string) => (one: ChangeListener) =>
      one.hears(({ data }) => JSON.stringify(data).includes(what))
    await Promise.all([tells('last')(editor), ...[visitor, drafter].map(tells('a1'))])
    await pause(100)
    const heard = ({ events }: ChangeListener): unknown[] =>
      events.filter(({ event }) => event === 'change').map(({ data }) => data)
    const change = (type: string, ...ids: readonly string[]): object => ({
      types: [type],
      documents: ids.map((documentId) => ({ type, documentId })),
    })
    // Which drafts a rule lets through is not told of a change.
    for (const one of [visitor, drafter])
      expect(heard(one)).toEqual([change('book', 'book'), change('author', 'a1')])
    expect(heard(editor)).toEqual([
      change('genre', 'g1'),
      change('book', 'draft'),
      change('book', 'book'),
      change('author', 'a1'),
      change('book'),
      change('author'),
      change('country', 'last'),
    ])
    expect([heard(member), heard(nobody)]).toEqual([[], []])
  })

  it("tells of users, which '*' lists to nobody, those to whom they are listed by their name", async () => {
    const contentTypes = [
      ...library,
      collection('pass', { owner: relation('manyToOne', 'plugin::users-permissions.user') }),
    ] as unknown as ContentRouterConfig['contentTypes']
    await migrate({ contentTypes, database: world.config })
    const lister = { find: ['plugin::users-permissions.user', 'author'] } as const
    const served = await serve({ contentTypes, permissions: { ...permissions, lister }, strapiRoutes: true })
    await settled(served)
    const [editor, hearing] = [await listen(served, 'editor'), await listen(served, 'lister')]
    await insert('up_users', 'new', { username: 'new', email: 'new@example.org' })
    await insert('authors', 'after')
    for (const one of [editor, hearing]) await one.hears(({ data }) => JSON.stringify(data).includes('after'))
    expect(JSON.stringify(hearing.events)).toContain('"new"')
    expect(JSON.stringify(editor.events)).not.toMatch(/"new"|user/)
  })

  it('tells of what is no longer published where the row is told of as it was', async () => {
    const served = await serve()
    await settled(served)
    const visitor = await listen(served)
    await world.knex('books').where({ document_id: 'book' }).update({ title: 'y' })
    await visitor.hears(({ event }) => event === 'change')
    await world.knex.raw('alter table books replica identity full')
    await visitor.hears(({ event }) => event === 'reset')
    const before = visitor.events.length
    await world.knex('books').where({ document_id: 'draft' }).delete()
    await world.knex('books').where({ document_id: 'book' }).delete()
    await until(() => visitor.events[before], 'nothing was heard')
    expect(visitor.events.slice(before).map(({ data }) => data)).toEqual([
      { types: ['book'], documents: [{ type: 'book', documentId: 'book' }] },
    ])
    await world.knex.raw('alter table books replica identity default')
  })

  it('goes on where a listener left off, or tells him to begin anew', async () => {
    const served = await serve()
    await settled(served)
    const first = await listen(served)
    await insert('authors', 'b1')
    const { id } = await first.hears(({ event }) => event === 'change')
    first.leave()
    for (const one of ['b2', 'b3']) await insert('authors', one)
    const other = await listen(served, 'editor')
    await insert('authors', 'b4')
    await other.hears(({ data }) => JSON.stringify(data).includes('b4'))
    const again = await listen(served, 'public', id)
    const told = again.events.flatMap(({ data }) => JSON.stringify(data).match(/b\d/g) ?? [])
    expect(told).toEqual(['b2', 'b3', 'b4'])
    const unknown = await listen(served, 'public', 'another-7')
    expect(unknown.events.map(({ event }) => event)).toEqual(['reset', 'ready'])
    await endSenders(world.knex)
    await again.hears(({ event }) => event === 'reset')
  })

  it('tells those who see no drafts of no drafts, however many, and not by the numbers of what they hear', async () => {
    const served = await serve()
    await settled(served)
    const [visitor, editor] = [await listen(served), await listen(served, 'editor')]
    await insert('authors', 'd1')
    const { id } = await visitor.hears(({ data }) => JSON.stringify(data).includes('d1'))
    const many = (count: number, published: string): Promise<unknown> =>
      world.knex.raw(
        `insert into books (document_id, published_at) select 'm' || n, ${published} from generate_series(1, ${String(count)}) n`,
      )
    await many(3000, 'null')
    await editor.hears(({ event }) => event === 'reset')
    await insert('authors', 'd2')
    const after = await visitor.hears(({ data }) => JSON.stringify(data).includes('d2'))
    const heard = visitor.events.slice(1)
    expect(heard.map(({ event }) => event)).toEqual(['change', 'change'])
    // Nothing in one number is told by the other, nor in that of a second who hears of the same.
    const parts = [id, after.id].map((text) => Buffer.from(text, 'base64url'))
    expect(parts.map(({ length }) => length)).toEqual([36, 36])
    const [one, other] = [await listen(served), await listen(served)]
    const places = new Set([one, other].flatMap(({ events }) => events.map((event) => event.id)))
    expect(places.size).toBe(2)
    for (const [at, changed] of Object.entries(id))
      if (Number(at) % 7 === 0) {
        const forged = `${id.slice(0, Number(at))}${changed === 'A' ? 'B' : 'A'}${id.slice(Number(at) + 1)}`
        const listener = await listen(served, 'public', forged)
        expect(listener.events.map(({ event }) => event)).toEqual(['reset', 'ready'])
        listener.leave()
      }
    await many(3000, 'now()')
    await visitor.hears(({ event }) => event === 'reset')
  })

  /** Each in a transaction of its own. */
  const write = (count: number, into: string): Promise<unknown> =>
    world.knex.raw(
      `do $$ begin for n in 1..${String(count)} loop insert into ${into}; commit; end loop; end $$`,
    )
  const drafts = `books (document_id) values ('d' || n)`

  it('tells whoever was away what he missed, however much was written of which he hears nothing', async () => {
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
    const told = visitor.events.map(({ event, data }) => [
      event,
      ...(JSON.stringify(data).match(/e\d/g) ?? []),
    ])
    expect(told).toEqual([['change', 'e1'], ['change', 'e2'], ['change', 'e3'], ['ready']])
    expect(other.events.map(({ event }) => event)).toEqual(['reset', 'ready'])
    await write(1500, `authors (document_id) values ('e' || n)`)
    // What is said amid the burst is part of what he is told to begin anew for.
    for (let tries = 0; !witness.text().includes('after-') && tries < 100; tries += 1) {
      await insert('authors', `after-${String(tries)}`)
      await pause(100)
    }
    const late = await listen(served, 'public', left?.id)
    expect(late.events.map(({ event }) => event)).toEqual(['reset', 'ready'])
  })

  it('holds on to a listener whose rights take their time, whatever is written that he hears nothing of', async () => {
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

  it('asks anew what a listener may read, and ends where that is nothing any more', async () => {
    for (const table of ['up_permissions_role_lnk', 'up_permissions', 'up_roles'])
      await world.knex(table).delete()
    await world.knex('up_roles').insert({ id: 1, type: 'public' })
    await world.knex('up_permissions').insert({ id: 1, action: 'api::author.author.find' })
    await world.knex('up_permissions_role_lnk').insert({ permission_id: 1, role_id: 1 })
    let isKnown = true
    const served = await serve({
      permissions: fromDatabase(),
      role: () => (isKnown ? 'public' : null),
      changes: { heartbeat: 200 },
    })
    await settled(served)
    const listener = await listen(served)
    await insert('authors', 'c1')
    await listener.hears(({ data }) => JSON.stringify(data).includes('c1'))
    await world.knex('up_permissions_role_lnk').delete()
    await listener.hears(({ event }) => event === 'reset')
    await insert('authors', untold)
    await pause(500)
    expect(listener.text()).not.toContain(untold)
    expect(listener.text()).toContain(':\n\n')
    isKnown = false
    await until(() => (listener.isOver() ? true : undefined), 'he is still heard')
  })

  it('tells nothing more by a right that has ended the moment before', async () => {
    let isKnown = true
    const served = await serve({ role: () => (isKnown ? 'public' : 'nobody') })
    await settled(served)
    const listener = await listen(served)
    for (const name of ['r1', 'r2', 'r3']) await insert('authors', name)
    await listener.hears(({ data }) => JSON.stringify(data).includes('r3'))
    isKnown = false
    await insert('authors', untold)
    await listener.hears(({ event }) => event === 'reset')
    await pause(100)
    expect(listener.text()).not.toContain(untold)
  })

  it('tells of no drafts whom a rule shows some, where drafts are open', async () => {
    const served = await serve({ drafts: 'open' })
    await settled(served)
    const [visitor, drafter] = [await listen(served), await listen(served, 'drafter')]
    await insert('books', 'open-draft', { title: 'x' })
    await insert('authors', 'open-last')
    const isLast = ({ data }: HeardEvent): boolean => JSON.stringify(data).includes('open-last')
    await Promise.all([visitor.hears(isLast), drafter.hears(isLast)])
    expect([visitor, drafter].map(({ text }) => text().includes('open-draft'))).toEqual([true, false])
  })

  describe('in a burst', () => {
    /** Faster than what reads the log is woken up. */
    const burst = (rounds: number): Promise<unknown> =>
      world.knex.raw(`do $$ begin
        for round in 1..${String(rounds)} loop
          insert into authors (document_id) select repeat('x', 220) || round || '-' || n from generate_series(1, 100) n;
          commit;
        end loop;
      end $$`)

    it('tells whoever takes what is told to begin anew rather than more at once than he can take', async () => {
      const served = await serve()
      await settled(served)
      const listener = await listen(served)
      await burst(60)
      const told = (): boolean => listener.events.some(({ data }) => JSON.stringify(data).includes('after-'))
      // What is said amid the burst is part of what he is not told one by one.
      for (let tries = 0; !told() && tries < 100; tries += 1) {
        await insert('authors', `after-${String(tries)}`)
        await pause(100)
      }
      expect([told(), listener.isOver()]).toEqual([true, false])
    }, 60_000)

    it('lets go whoever takes nothing, and keeps nothing for him', async () => {
      const served = await serve({ changes: { heartbeat: 200, maxListeners: 1 } })
      await settled(served)
      const slow = await listen(served)
      slow.response.pause()
      const isPlaceFree = async (): Promise<boolean> => {
        const next = await listenTo(`${served.origin}/api/changes`)
        next.leave()
        return next.response.statusCode === 200
      }
      // A socket holds some megabytes for somebody who does not read.
      while (!(await isPlaceFree())) for (let round = 0; round < 50; round += 1) await burst(2)
      slow.response.resume()
      await until(() => (slow.isOver() ? true : undefined), 'he is still waited for')
    }, 120_000)
  })

  it('is a route like others: bounded, with its methods, and over when the router ends', async () => {
    const served = await serve({ changes: { maxListeners: 2 } })
    const [one, two] = [await listen(served), await listen(served)]
    const third = await listenTo(`${served.origin}/api/changes`)
    expect([third.response.statusCode, third.response.headers['retry-after']]).toEqual([503, '1'])
    two.leave()
    await pause(100)
    const headers = one.response.headers
    expect([headers['content-type'], headers['cache-control']]).toEqual([
      'text/event-stream; charset=utf-8',
      'private, no-store, no-transform',
    ])
    const head = await served.head('changes')
    expect([head.status, head.body]).toEqual([200, ''])
    const post = await fetch(`${served.origin}/api/changes`, { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    await served.router.close()
    await until(() => (one.isOver() ? true : undefined), 'he still listens')
    const off = await followed.serve({})
    expect((await off.get('changes')).status).toBe(404)
  })
})
