import { setTimeout as pause } from 'node:timers/promises'
import type { ChangesOptions } from '../../../extensions/changes'
import { fromDatabase, strapi5 } from '../../../extensions/strapi'
import { type ContentRouterConfig, migrate } from '../../../lib'
import { type ChangeListener, type HeardEvent, listenTo } from '../../support/change-listener'
import { describeOn, testDatabase } from '../../support/databases'
import { type Cached, endSenders, onFollowedLibrary } from '../../support/feed'
import { collection, library, relation } from '../../support/library'
import { roleHeader } from '../../support/served'
import { until } from '../../support/told-changes'

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

  /** Longer than any text in an encrypted id by chance. */
  const hidden = 'never-to-be-sent'

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

  /** To a country that was there before. */
  const linkAuthor = async (): Promise<void> => {
    const [author, country] = await Promise.all([
      world.knex('authors').first<{ readonly id: number }>('id'),
      world.knex('countries').first<{ readonly id: number }>('id'),
    ])
    await world.knex('authors_country_lnk').insert({ author_id: author.id, country_id: country.id })
  }

  it('sends each role the types and documents that it may read, and nothing else', async () => {
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
    // Each event waits for the permissions of its listener.
    const hears = (what: string) => (one: ChangeListener) =>
      one.hears(({ data }) => JSON.stringify(data).includes(what))
    await Promise.all([hears('last')(editor), ...[visitor, drafter].map(hears('a1'))])
    await pause(100)
    const heard = ({ events }: ChangeListener): unknown[] =>
      events.filter(({ event }) => event === 'change').map(({ data }) => data)
    const change = (type: string, ...ids: readonly string[]): object => ({
      types: [type],
      documents: ids.map((documentId) => ({ type, documentId })),
    })
    // A change does not say which drafts pass a rule.
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

  it("sends users to roles that name them, not to roles with '*'", async () => {
    const contentTypes = [
      ...library,
      collection('pass', { owner: relation('manyToOne', 'plugin::users-permissions.user') }),
    ] as unknown as ContentRouterConfig['contentTypes']
    await migrate({ contentTypes, database: world.config })
    const lister = { find: ['plugin::users-permissions.user', 'author'] } as const
    const served = await serve({
      contentTypes,
      permissions: { ...permissions, lister },
      extensions: [strapi5()],
    })
    await settled(served)
    const [editor, hearing] = [await listen(served, 'editor'), await listen(served, 'lister')]
    await insert('up_users', 'new', { username: 'new', email: 'new@example.org' })
    await insert('authors', 'after')
    for (const one of [editor, hearing]) await one.hears(({ data }) => JSON.stringify(data).includes('after'))
    expect(JSON.stringify(hearing.events)).toContain('"new"')
    expect(JSON.stringify(editor.events)).not.toMatch(/"new"|user/)
  })

  it('sends an unpublished document, if the log has the old row', async () => {
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
    await until(() => visitor.events[before], 'no event came')
    expect(visitor.events.slice(before).map(({ data }) => data)).toEqual([
      { types: ['book'], documents: [{ type: 'book', documentId: 'book' }] },
    ])
    await world.knex.raw('alter table books replica identity default')
  })

  it('resumes after Last-Event-ID, or sends a reset', async () => {
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
    const sent = again.events.flatMap(({ data }) => JSON.stringify(data).match(/b\d/g) ?? [])
    expect(sent).toEqual(['b2', 'b3', 'b4'])
    const unknown = await listen(served, 'public', 'another-7')
    expect(unknown.events.map(({ event }) => event)).toEqual(['reset', 'ready'])
    await endSenders(world.knex)
    await again.hears(({ event }) => event === 'reset')
  })

  it('has ids that differ for each listener, and sends a reset after a forged one', async () => {
    const served = await serve()
    await settled(served)
    const visitor = await listen(served)
    await insert('authors', 'd1')
    const { id } = await visitor.hears(({ event }) => event === 'change')
    const [one, other] = [await listen(served), await listen(served)]
    const ids = new Set([id, ...[one, other].flatMap(({ events }) => events.map((event) => event.id))])
    expect(ids.size).toBe(3)
    expect([...ids].map((text) => Buffer.from(text, 'base64url').length)).toEqual([36, 36, 36])
    for (const [at, changed] of Object.entries(id))
      if (Number(at) % 7 === 0) {
        const forged = `${id.slice(0, Number(at))}${changed === 'A' ? 'B' : 'A'}${id.slice(Number(at) + 1)}`
        const listener = await listen(served, 'public', forged)
        expect(listener.events.map(({ event }) => event)).toEqual(['reset', 'ready'])
        listener.leave()
      }
  })

  it('reads permissions again, and ends if the role may read nothing any more', async () => {
    for (const table of ['up_permissions_role_lnk', 'up_permissions', 'up_roles'])
      await world.knex(table).delete()
    await world.knex('up_roles').insert({ id: 1, type: 'public' })
    await world.knex('up_permissions').insert({ id: 1, action: 'api::author.author.find' })
    await world.knex('up_permissions_role_lnk').insert({ permission_id: 1, role_id: 1 })
    let isKnown = true
    const served = await serve(
      { permissions: fromDatabase(), role: () => (isKnown ? 'public' : null) },
      { heartbeat: 200 },
    )
    await settled(served)
    const listener = await listen(served)
    await insert('authors', 'c1')
    await listener.hears(({ data }) => JSON.stringify(data).includes('c1'))
    await world.knex('up_permissions_role_lnk').delete()
    await listener.hears(({ event }) => event === 'reset')
    await insert('authors', hidden)
    await pause(500)
    expect(listener.text()).not.toContain(hidden)
    expect(listener.text()).toContain(':\n\n')
    isKnown = false
    await until(() => (listener.isOver() ? true : undefined), 'the stream is still open')
  })

  it('sends nothing after the role has changed', async () => {
    let isKnown = true
    const served = await serve({ role: () => (isKnown ? 'public' : 'nobody') })
    await settled(served)
    const listener = await listen(served)
    for (const name of ['r1', 'r2', 'r3']) await insert('authors', name)
    await listener.hears(({ data }) => JSON.stringify(data).includes('r3'))
    isKnown = false
    await insert('authors', hidden)
    await listener.hears(({ event }) => event === 'reset')
    await pause(100)
    expect(listener.text()).not.toContain(hidden)
  })

  it('sends no drafts to a role with a rule on drafts, if drafts are open', async () => {
    const served = await serve({ drafts: 'open' })
    await settled(served)
    const [visitor, drafter] = [await listen(served), await listen(served, 'drafter')]
    await insert('books', 'open-draft', { title: 'x' })
    await insert('authors', 'open-last')
    const isLast = ({ data }: HeardEvent): boolean => JSON.stringify(data).includes('open-last')
    await Promise.all([visitor.hears(isLast), drafter.hears(isLast)])
    expect([visitor, drafter].map(({ text }) => text().includes('open-draft'))).toEqual([true, false])
  })

  it('limits its listeners, answers HEAD, refuses POST, and ends with the router', async () => {
    const served = await serve({}, { maxListeners: 2 })
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
    await until(() => (one.isOver() ? true : undefined), 'the stream is still open')
    const off = await followed.serve({})
    expect((await off.get('changes')).status).toBe(404)
  })
})
