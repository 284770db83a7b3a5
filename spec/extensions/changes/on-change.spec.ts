import { changes } from '../../../extensions/changes'
import { makeChangeBook } from '../../../extensions/changes/change-book'
import { type FollowedLog, makeWaiting } from '../../../extensions/changes/followed-log'
import { readSnapshot } from '../../../extensions/changes/snapshot'
import { makeWaitingCommits } from '../../../extensions/changes/waiting-commits'
import { watchLog } from '../../../extensions/changes/watch-changes'
import { contentRouter } from '../../../lib'
import { describeOn, testDatabase } from '../../support/databases'
import { type Cached, endSenders, onFollowedLibrary } from '../../support/feed'
import { library } from '../../support/library'
import { serveTelling, tagsIn, until } from '../../support/told-changes'

it.each(['better-sqlite3', 'mysql2'])('onChange and stream are refused with %s', (client) => {
  const given = {
    contentTypes: library,
    database: { client, connection: {} },
    extensions: [changes({ onChange: () => undefined, stream: true })],
  }
  expect(() => contentRouter(given)).toThrow(
    /changes.onChange: the option onChange requires the option feed[^]*changes.stream: the option stream requires the option feed/,
  )
})

describeOn(['postgres'])('onChange on %s', (name) => {
  const followed = onFollowedLibrary(testDatabase(name))
  const { world } = followed
  const permissions = { public: { find: '*' } } as const

  const documentOf = async (table: string, name: object): Promise<string> => {
    const row = await world.knex(table).where(name).first<{ document_id: string }>()
    return row.document_id
  }

  /** Whether a purge of these tags drops the response from an HTTP cache. */
  const isPurged = async ({ get }: Cached, path: string, tags: readonly string[]): Promise<boolean> => {
    const carried = tagsIn(await get(path))
    expect(carried).toContain('content')
    return tags.some((tag) => carried.includes(tag))
  }

  it('goes with cache tags for the types and documents of each response', async () => {
    const served = await followed.serve({}, { cacheTags: true })
    const ada = await documentOf('authors', { name: 'Ada' })
    const list = await served.get('authors')
    expect(tagsIn(list)).toEqual(['content', 'author', `author/${ada}`])
    expect(list.headers['cache-tag']).toBe(`content,author,author/${ada}`)
    expect(tagsIn(await served.get(`authors/${ada}`))).toEqual([
      'content',
      ...['author.one', `author/${ada}`, 'author/1'].sort(),
    ])
    expect(tagsIn(await served.get('authors?filters[name]=nobody'))).toEqual(['content', 'author'])
    expect(tagsIn(await served.get('books?filters[author][name]=x'))).toEqual(
      expect.arrayContaining(['book', 'book.parts', 'author']),
    )
    expect(tagsIn(await served.get('books?populate=seo'))).toEqual(
      expect.arrayContaining(['book', 'book.parts']),
    )
  })

  it('reports the tags of all responses that a commit changed', async () => {
    const { served, during } = await serveTelling(followed)
    const ada = await documentOf('authors', { name: 'Ada' })
    await during(() => world.knex('authors').insert({ name: 'Bob', document_id: 'bob' }))
    const renamed = await during(() => world.knex('authors').where({ name: 'Ada' }).update({ age: 36 }))
    expect(renamed.types).toEqual(['author'])
    expect(renamed.documents).toEqual([{ type: 'author', documentId: ada }])
    const purged = (path: string): Promise<boolean> => isPurged(served, path, renamed.tags)
    expect(await purged(`authors/${ada}`)).toBe(true)
    expect(await purged('authors')).toBe(true)
    expect(await purged('authors?filters[name]=nobody')).toBe(true)
    expect(await purged('books?populate=author')).toBe(true)
    expect(await purged('books?filters[author][age]=1')).toBe(true)
    expect(await purged('authors/bob')).toBe(false)
    expect(await purged('books')).toBe(false)
    expect(await purged('genres')).toBe(false)
    await during(() => world.knex('authors').where({ name: 'Bob' }).delete())
  })

  it('reports the tag of a row id, if a document id changes or its row is deleted', async () => {
    const { served, during } = await serveTelling(followed)
    await during(() => world.knex('authors').insert({ name: 'Cid', document_id: 'cid' }))
    const carried = tagsIn(await served.get('authors/cid'))
    for (const work of [
      () => world.knex('authors').where({ name: 'Cid' }).update({ document_id: 'other' }),
      () => world.knex('authors').where({ name: 'Cid' }).delete(),
    ]) {
      const { tags, documents } = await during(work)
      expect(tags.some((tag) => carried.includes(tag))).toBe(true)
      expect(documents).not.toContainEqual({ type: 'author', documentId: 'cid' })
    }
  })

  it('reports changes of join tables and components as changes of their type', async () => {
    const { served, during } = await serveTelling(followed)
    const links = await during(() => world.knex('books_genres_lnk').update({ genre_ord: 2 }))
    expect([links.types, links.documents]).toEqual([['book'], []])
    expect(await isPurged(served, 'books?populate=genres', links.tags)).toBe(true)
    expect(await isPurged(served, 'genres?populate=books', links.tags)).toBe(true)
    expect(await isPurged(served, 'genres?sort=books.title', links.tags)).toBe(true)
    expect(await isPurged(served, 'books', links.tags)).toBe(false)
    const seo = await during(() => world.knex('components_shared_seo').insert({ title: 'x' }))
    expect(seo.types).toEqual(['book'])
    expect(await isPurged(served, 'books?populate=seo', seo.tags)).toBe(true)
    expect(await isPurged(served, 'books', seo.tags)).toBe(false)
    await world.knex('components_shared_seo').delete()
  })

  it('reports that anything may have changed, if the log does not name the rows', async () => {
    const { told, hears, during } = await serveTelling(followed)
    const any = { types: '*', documents: '*', tags: ['content'] }
    for (const [change, undo] of [
      [`alter table authors alter name type varchar(300)`, `alter table authors alter name type text`],
      [`truncate authors_country_lnk`, `truncate authors_country_lnk`],
      [`alter table authors rename to others`, `alter table others rename to authors`],
      [
        `begin; update authors set age = 1; alter table authors add column x int; commit`,
        `alter table authors drop column x`,
      ],
      [
        `alter publication content_router set (publish = 'insert')`,
        `alter publication content_router set (publish = 'insert, update, delete, truncate')`,
      ],
    ] as const) {
      expect(await during(() => world.knex.raw(change))).toEqual(any)
      expect(await during(() => world.knex.raw(undo))).toEqual(any)
    }
    // Transactions with savepoints are logged in full.
    const { documents } = await during(() =>
      world.knex.raw(
        `begin; savepoint one; insert into authors (name, document_id) values ('Dan', 'dan'); release one; commit`,
      ),
    )
    expect(documents).toEqual([{ type: 'author', documentId: 'dan' }])
    // Rollbacks and tables without content are not reported.
    told.length = 0
    await world.knex.raw(`begin; delete from authors; rollback`)
    await followed.write()
    await world.knex.raw(`create temp table t as select 1`)
    await world.knex.raw(`analyze authors`)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(told).toEqual([])
    await world.knex('authors').where({ name: 'Dan' }).delete()
    await hears(({ types }) => types.includes('author'))
  }, 120_000)

  it('reports that anything may have changed, once the replication connection is back', async () => {
    const { told, hears } = await serveTelling(followed)
    told.length = 0
    await endSenders(world.knex)
    await hears(({ types }) => types === '*')
  })

  it('is called again after it failed, in the order of commits, without harm to requests', async () => {
    let fails = 1
    const heard: string[] = []
    const served = await followed.serve(
      {},
      {
        onChange: ({ documents }) => {
          if (documents === '*') return
          if (fails > 0) {
            fails -= 1
            throw new Error('the CDN is away')
          }
          heard.push(...documents.map(({ documentId }) => documentId))
        },
      },
    )
    for (const name of ['e', 'f', 'g']) await world.knex('authors').insert({ name, document_id: name })
    expect((await served.get('authors')).status).toBe(200)
    await until(() => (heard.length >= 3 ? heard : undefined), 'not all was reported')
    expect(heard).toEqual(['e', 'f', 'g'])
    await world.knex('authors').whereIn('name', ['e', 'f', 'g']).delete()
  })

  it('goes with no cache tag that names a hidden type', async () => {
    const { served, during } = await serveTelling(followed, {
      permissions: { public: { find: { author: { where: { country: { name: 'France' } } } } } },
    })
    expect(tagsIn(await served.get('authors'))).toEqual(
      expect.arrayContaining(['content', 'content.rest', 'author', 'author.parts']),
    )
    expect(String((await served.get('authors')).headers['cache-tag'])).not.toContain('country')
    const { tags } = await during(() =>
      world.knex('countries').insert({ name: 'Spain', document_id: 'spain' }),
    )
    expect(await isPurged(served, 'authors', tags)).toBe(true)
  })

  it('goes with no more cache tags than HTTP caches accept, and none on private responses', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({ name: 'Z', document_id: `z ${String(at)}, ü` }))
    await world.knex('authors').insert(rows)
    const served = await followed.serve(
      { permissions: { ...permissions, editor: { find: '*' } } },
      { cacheTags: 'Cache-Tag' },
    )
    const one = await served.get('authors?filters[name]=Z&pagination[pageSize]=10')
    const tags = String(one.headers['cache-tag']).split(',')
    expect(tags).toHaveLength(12)
    expect(tags.every((tag) => /^[\w./-]{1,100}$/.test(tag))).toBe(true)
    expect(one.headers['surrogate-key']).toBeUndefined()
    const all = await served.get('authors?filters[name]=Z&pagination[pageSize]=100')
    expect(all.headers['cache-tag']).toBe('content,author')
    expect((await served.get('authors', 'editor')).headers['cache-tag']).toBeUndefined()
    const missing = await served.get('authors/nobody')
    expect([missing.status, missing.headers['cache-control']]).toEqual([404, 'private, no-store'])
    await world.knex('authors').where({ name: 'Z' }).delete()
  })
})

describeOn(['postgres'])('many commits in the log of %s', (name) => {
  const world = testDatabase(name).fresh()

  it('are reported in several turns of the event loop', async () => {
    await world.knex.raw('create publication content_router for all tables')
    const ask = async (sql: string): Promise<readonly (readonly unknown[])[]> => {
      const { rows } = await world.knex.raw<{ rows: unknown[][] }>(sql).options({ rowMode: 'array' })
      return rows
    }
    const [[text] = []] = await ask('select pg_current_snapshot()::text')
    const snapshot = readSnapshot(String(text))
    if (snapshot === null) throw new Error('the server has no snapshot')
    const commits = makeWaitingCommits()
    const followed: FollowedLog = {
      ...{ commits, book: makeChangeBook(snapshot), waiting: makeWaiting() },
      reached: () => 0n,
      covered: () => {
        throw new Error('not asked')
      },
      readCovered: () => undefined,
      isOver: () => false,
      retained: () => null,
    }
    const told: string[] = []
    const watched = await watchLog(followed, {
      ...{ ask, publication: 'content_router', server: `''` },
      isRead: () => true,
      learnState: () => Promise.resolve(),
      onChanged: (tables) => {
        if (tables === null) return
        told.push(...tables.keys())
        // A slow hook.
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
      expect(await watched?.reportCommits()).toBe(true)
      turns += 1
    }
    expect(told).toEqual(all)
    expect(turns).toBeGreaterThan(5)
  })
})
