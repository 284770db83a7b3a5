import { contentRouter, type ContentRouterConfig } from '../../lib'
import { eachDatabase } from '../support/databases'
import { library } from '../support/library'
import { type Entry, type Response, type Served, stocked } from '../support/served'

interface Logged {
  readonly id?: string
  readonly missing?: string
  readonly differences?: readonly string[]
}

interface Watched extends Served {
  readonly errors: readonly Logged[]
}

interface Failure {
  readonly error: {
    readonly status: number
    readonly name: string
    readonly details: { readonly id: string }
  }
}

const nothing = (): void => undefined

function expectFailure(response: Response, errors: readonly Logged[]): Logged {
  expect(response.status).toBe(500)
  const { error } = response.body as Failure
  expect(error).toEqual({
    status: 500,
    name: 'InternalServerError',
    message: 'Internal Server Error',
    details: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown },
  })
  const [logged, ...others] = errors
  expect([logged?.id, others]).toEqual([error.details.id, []])
  return logged ?? {}
}

eachDatabase((database) => {
  const { world, serve } = stocked(database, library, {
    author: [{ $ref: 'ada', name: 'Ada', age: 36 }],
    genre: [{ name: 'Essay' }],
    book: [{ title: 'Dawn', year: 1815, author: 'ada', seo: { title: 'seo' } }],
  })

  function watched(): Watched {
    const errors: Logged[] = []
    const error = (facts: object): void => {
      errors.push(facts)
    }
    const logger: ContentRouterConfig['logger'] = { debug: nothing, info: nothing, warn: nothing, error }
    return { ...serve({ logger }), errors }
  }

  async function without(undo: () => PromiseLike<unknown>, use: () => Promise<void>): Promise<void> {
    try {
      await use()
    } finally {
      await undo()
    }
  }

  it('tells the client an id and the log the table that is gone, and recovers once it is back', async () => {
    const { get, list, errors } = watched()
    await list('books?populate=author')
    await world.knex.schema.renameTable('authors', 'writers')
    await without(
      () => world.knex.schema.renameTable('writers', 'authors'),
      async () => {
        const logged = expectFailure(await get('books?populate=author'), errors)
        expect(logged.missing).toMatch(/authors$/)
        expect(logged.differences).toContain('authors: the table is missing')
        expect(await list('genres')).toHaveLength(1)
        expect(await list('books')).toHaveLength(1)
      },
    )
    expect(await list('books?populate=author')).toMatchObject([{ author: { name: 'Ada' } }])
    expect(errors).toHaveLength(1)
  })

  it('does the same for a column', async () => {
    const { get, list, errors } = watched()
    await list('authors')
    await world.knex.schema.alterTable('authors', (table) => table.renameColumn('age', 'years'))
    await without(
      () => world.knex.schema.alterTable('authors', (table) => table.renameColumn('years', 'age')),
      async () => {
        const logged = expectFailure(await get('authors'), errors)
        expect(logged.missing).toMatch(/\bage$/)
        expect(logged.differences).toEqual(['authors.age: the column is missing'])
        expect(await list('authors?fields=name')).toMatchObject([{ name: 'Ada' }])
      },
    )
    expect(await list('authors')).toMatchObject([{ age: 36 }])
  })

  it('reports both before anybody asks', async () => {
    const router = world.closing(contentRouter({ contentTypes: library, database: world.config }))
    await router.ready()
    await world.knex.schema.alterTable('authors', (table) => table.renameColumn('age', 'years'))
    await without(
      () => world.knex.schema.alterTable('authors', (table) => table.renameColumn('years', 'age')),
      async () => {
        await expect(router.ready()).rejects.toThrow('authors.age: the column is missing')
      },
    )
    await router.ready()
  })

  it('goes on when the type of a column changes to another that it reads', async () => {
    const { list } = watched()
    const path = 'authors?filters[name]=Ada'
    const several = (): Promise<Entry[][]> => Promise.all(Array.from({ length: 8 }, () => list(path)))
    // Until the statements are prepared, on more than one connection.
    for (let round = 0; round < 4; round += 1) await several()
    await world.knex.schema.alterTable('authors', (table) => table.text('name').alter())
    // One by one, so that connections are left that have not heard of it.
    for (let round = 0; round < 8; round += 1) expect(await list(path)).toMatchObject([{ name: 'Ada' }])
  })

  describe('a column that need not be there', () => {
    const path = 'books?populate=seo'
    const table = 'components_shared_seo'
    const seoOf = ([book]: readonly Entry[]): Entry => book?.['seo'] as Entry
    const drop = (): PromiseLike<unknown> =>
      world.knex.schema.alterTable(table, (altered) => altered.dropColumn('document_id'))
    const add = async (): Promise<void> => {
      await world.knex.schema.alterTable(table, (altered) => altered.string('document_id'))
      await world.knex(table).update({ document_id: 'abc' })
    }

    it('leaves the answers when it leaves the table, and comes back', async () => {
      if (!(await world.knex.schema.hasColumn(table, 'document_id'))) await add()
      const { list, errors } = watched()
      const { id, documentId } = seoOf(await list(path))
      expect(documentId).toBeDefined()
      await drop()
      expect(seoOf(await list(path))).toEqual({ id, title: 'seo' })
      expect(errors).toEqual([])
      await add()
      const later = performance.now() + 31_000
      const clock = jest.spyOn(performance, 'now').mockReturnValue(later)
      expect(seoOf(await list(path))).toEqual({ id, documentId: 'abc', title: 'seo' })
      clock.mockRestore()
    })
  })
})
