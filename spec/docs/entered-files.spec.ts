import { Session } from 'node:inspector/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { stocked } from '../support/served'

const lib = join(__dirname, '..', '..', 'lib') + sep

/** A reader who follows one request opens no more files of `lib`. Doors count, for what they re-export is read through them. */
const mostOfNew = 75
const mostOfCached = 40

const contentTypes = [
  collection('author', { name: text, articles: relation('oneToMany', 'article', { mappedBy: 'author' }) }),
  collection('tag', { name: text, articles: relation('manyToMany', 'article', { mappedBy: 'tags' }) }),
  collection('article', {
    title: text,
    author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
    tags: relation('manyToMany', 'tag', { inversedBy: 'articles' }),
  }),
] as ContentRouterConfig['contentTypes']

const content = {
  author: [{ $ref: 'ada', name: 'Ada' }],
  tag: [{ $ref: 'rust', name: 'rust' }],
  article: ['First', 'Second'].map((title) => ({ title, author: 'ada', tags: ['rust'] })),
}

const pathOf = (url: string): string => (url.startsWith('file:') ? fileURLToPath(url) : url)

/** Files of `lib` of which a function ran meanwhile, by the precise coverage of V8. */
async function filesEntered(session: Session, request: () => Promise<void>): Promise<readonly string[]> {
  // What the request before left to do is none of this one.
  await new Promise((resolve) => setTimeout(resolve, 50))
  await session.post('Profiler.takePreciseCoverage')
  await request()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
  const files = ran.map(({ url }) => pathOf(url)).filter((path) => path.startsWith(lib))
  return [...new Set(files.map((path) => path.slice(lib.length)))].sort()
}

onSqlite((database) => {
  describe('the files of lib that one request enters', () => {
    const { serve } = stocked(database, contentTypes, content)
    const session = new Session()
    beforeAll(async () => {
      session.connect()
      await session.post('Profiler.enable')
      await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    })
    afterAll(() => {
      session.disconnect()
    })

    it('are few, and fewer if the response is cached', async () => {
      const served = serve({ cache: { freshness: 'strict' } })
      const request = 'articles?populate=author&filters[tags][name]=rust'
      const ask = async (path: string): Promise<void> => {
        const { data } = await served.page(path)
        expect(data).toHaveLength(2)
        expect(data[0]).toHaveProperty('author.name', 'Ada')
      }
      await ask(`${request}&sort=title`)
      const entered = await filesEntered(session, () => ask(request))
      const again = await filesEntered(session, () => ask(request))
      // The files are part of the comparison, so that a failure lists them.
      expect({ entered, isFew: entered.length <= mostOfNew }).toEqual({ entered, isFew: true })
      expect({ again, isFew: again.length <= mostOfCached }).toEqual({ again, isFew: true })
      // Otherwise nothing was measured.
      expect(entered).toEqual(expect.arrayContaining(['access.ts', 'plan.ts', 'query.ts']))
      expect(again.length).toBeGreaterThan(10)
    })
  })
})
