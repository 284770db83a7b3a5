import type { Cached } from '../support/cached'
import { describeOn, testDatabase } from '../support/databases'
import { namesIn, onFollowedLibrary, releaseOf, totalIn } from '../support/feed'
import { library } from '../support/library'

const replicaIdentity = (kind: 'full' | 'default'): readonly string[] =>
  ['authors', 'books', 'countries'].map((table) => `alter table ${table} replica identity ${kind}`)

describeOn(['postgres'])('answers of a table that is told of row by row by %s', (name) => {
  const { world, serve, isKept, keepsAgain } = onFollowedLibrary(testDatabase(name))
  const raw = async (...statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await world.knex.raw(sql)
  }
  const author = (documentId: string, changed: object): Promise<unknown> =>
    world.knex('authors').where({ document_id: documentId }).update(changed)

  beforeAll(async () => {
    const authors = Array.from({ length: 60 }, (_, at) => ({
      document_id: `w${String(at)}`,
      name: `Writer ${String(100 + at)}`,
      age: at,
    }))
    await world.knex('authors').delete()
    await world.knex('authors').insert(authors)
    await world.knex('countries').insert({ document_id: 'uk', name: 'UK' })
    const [w1, uk] = await Promise.all([
      world.knex('authors').where({ document_id: 'w1' }).first<{ readonly id: number }>('id'),
      world.knex('countries').first<{ readonly id: number }>('id'),
    ])
    await world.knex('authors_country_lnk').insert({ author_id: w1.id, country_id: uk.id })
    await raw(...replicaIdentity('full'))
  }, 60_000)

  /** Whether the answer outlives the change; it is as it should be in any case. */
  const outlives = async (served: Cached, path: string, change: () => Promise<unknown>): Promise<boolean> => {
    await keepsAgain(served, path)
    await change()
    return isKept(served, path)
  }

  it('stay while others than those that they show are changed', async () => {
    const served = await serve()
    for (const path of [
      'authors?pagination[pageSize]=10',
      'authors/w2',
      'authors?sort=name&pagination[pageSize]=10&pagination[withCount]=false',
      'authors?filters[name][$contains]=105',
      'authors?filters[country][name]=UK&populate=country',
    ])
      expect([
        path,
        await outlives(served, path, () => author('w40', { age: Math.floor(Math.random() * 1e6) })),
      ]).toEqual([path, true])
  })

  it('go once what they show is changed', async () => {
    const served = await serve()
    const path = 'authors?pagination[pageSize]=10&populate=country'
    for (const change of [
      () => author('w3', { name: 'Woolf' }),
      () => author('w3', { name: 'Writer 103' }),
      () => world.knex('countries').update({ name: 'GB' }),
      () => world.knex('countries').update({ name: 'UK' }),
    ])
      expect(await outlives(served, path, change)).toBe(false)
    expect((await served.get(path)).body).toContain('Writer 103')
  })

  it('go once another is changed in what decides which are shown, and in what order', async () => {
    const served = await serve()
    const first = 'authors?pagination[pageSize]=1'
    const changeName = (to: string) => () => author('w40', { name: to })
    expect(await outlives(served, `${first}&sort=name`, changeName('A'))).toBe(false)
    expect(namesIn(await served.get(`${first}&sort=name`))).toEqual(['A'])
    expect(await outlives(served, `${first}&filters[name]=B`, changeName('B'))).toBe(false)
    expect(namesIn(await served.get(`${first}&filters[name]=B`))).toEqual(['B'])
    expect(await outlives(served, `${first}&_q=Zed`, changeName('Zed'))).toBe(false)
    expect(await outlives(served, `countries?filters[authors][name]=Zed`, changeName('Writer 140'))).toBe(
      false,
    )
    // Which rows are shown does not hang on it here.
    expect(await outlives(served, first, changeName('C'))).toBe(true)
    await author('w40', { name: 'Writer 140' })
  })

  it('go with rows that come and go, and with many at once', async () => {
    const served = await serve()
    const path = 'authors?pagination[pageSize]=5'
    const insert = (): Promise<unknown> => world.knex('authors').insert({ document_id: 'new', name: 'New' })
    expect(await outlives(served, path, insert)).toBe(false)
    expect(totalIn(await served.get(path))).toBe(61)
    expect(
      await outlives(served, path, () => world.knex('authors').where({ document_id: 'new' }).delete()),
    ).toBe(false)
    expect(totalIn(await served.get(path))).toBe(60)
    expect(await outlives(served, path, () => author('w41', { id: 100_000 }))).toBe(false)
  })

  it('stay while drafts of what they show are written', async () => {
    await world.knex('books').insert([
      { document_id: 'b', title: 'Public', published_at: new Date() },
      { document_id: 'b', title: 'Draft' },
    ])
    const served = await serve()
    const drafts = (): Promise<unknown> =>
      world
        .knex('books')
        .whereNull('published_at')
        .update({ title: `Draft ${String(Math.random())}` })
    expect(await outlives(served, 'books/b', drafts)).toBe(true)
    const publish = (): Promise<unknown> =>
      world.knex('books').whereNull('published_at').update({ published_at: new Date() })
    expect(await outlives(served, 'books?pagination[pageSize]=1', publish)).toBe(false)
    await world.knex('books').delete()
  })

  it('go with any change where not all is told of: of rows as they were, of columns that are computed', async () => {
    const served = await serve()
    const path = 'authors?pagination[pageSize]=5'
    const age = (): Promise<unknown> => author('w42', { age: Math.floor(Math.random() * 1e6) })
    await raw(...replicaIdentity('default'))
    expect(await outlives(served, path, age)).toBe(false)
    await raw(...replicaIdentity('full'))
    expect(await outlives(served, path, age)).toBe(true)
    await raw('alter table authors add column rank integer generated always as (age * 2) stored')
    const isTold = (await releaseOf(world.knex)) >= 18
    // What is not published is no part of the identity of a whole row there, and the row cannot be updated.
    if (isTold) await raw('alter publication content_router set (publish_generated_columns = stored)')
    // The first change of a table that is told of in another form is one of anything.
    if (isTold) await age()
    expect(await outlives(served, path, age)).toBe(isTold)
    await raw('alter table authors drop column rank')
    if (isTold) await age()
    expect(await outlives(served, path, age)).toBe(true)
  })

  it('keep their total while rows that are counted are written, and not once others are counted', async () => {
    const many = Array.from({ length: 3500 }, (_, at) => ({ name: 'B', document_id: `b${String(at)}` }))
    await world.knex.batchInsert('authors', many, 500)
    const statements: string[] = []
    const served = await serve({
      onStatement: ({ sql }: { readonly sql: string }) => {
        statements.push(sql)
      },
    })
    const page = (at: number): string =>
      `authors?filters[name]=B&pagination[pageSize]=1&pagination[page]=${String(at)}`
    for (let at = 1; at < 6; at += 1) await served.get(page(at))
    const counts = (): number => statements.filter((sql) => /count\(\*\)/.test(sql)).length
    const before = counts()
    for (let at = 6; at < 36; at += 1) {
      await author('b0', { age: at })
      expect(totalIn(await served.get(page(at)))).toBe(3500)
    }
    expect(counts() - before).toBeLessThan(5)
    await author('b0', { name: 'C' })
    expect(totalIn(await served.get(page(40)))).toBe(3499)
  })

  it('go with a change of a number that the database is told to print short', async () => {
    await raw(
      'alter table authors add column weight double precision',
      'alter table authors replica identity full',
      `alter database "${String((await world.knex.raw<{ rows: { name: string }[] }>('select current_database() as name')).rows[0]?.name)}" set extra_float_digits = 0`,
    )
    const contentTypes = library.map((type) => {
      const { info, attributes } = type as {
        readonly info?: { readonly singularName?: string }
        readonly attributes: object
      }
      return info?.singularName === 'author'
        ? { ...type, attributes: { ...attributes, weight: { type: 'float' } } }
        : type
    }) as never
    await author('w44', { weight: world.knex.raw('0.1::float8 + 1e-16') })
    const served = await serve({ contentTypes })
    const path = 'authors?filters[weight][$eq]=0.1&fields=name'
    await keepsAgain(served, path)
    expect(namesIn(await served.get(path))).toEqual([])
    await author('w44', { weight: 0.1 })
    expect(namesIn(await served.get(path))).toEqual(['Writer 144'])
  })

  it('are told by no name that Knex was told to write otherwise', async () => {
    for (const wrapIdentifier of [
      (name: string) => name,
      (name: string, quote: (name: string) => string) => quote(name),
    ]) {
      const served = await serve({ database: { ...world.config, wrapIdentifier } })
      await served.kept('authors?filters[name]=Zed')
      await author('w43', { name: 'Zed' })
      expect(namesIn(await served.get('authors?filters[name]=Zed'))).toEqual(['Zed'])
      await author('w43', { name: 'Writer 143' })
    }
  })
})
