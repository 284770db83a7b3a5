import { campaign } from '../../lab/fuzz/campaign'
import { serveMagazine, type Target } from '../../lab/fuzz/serve'
import { eachDatabase } from '../support/databases'
import { recordingOf } from '../support/recordings'

/** The nightly run sends more. */
const requests = process.env['SWEEP'] === 'all' ? 700 : 200

eachDatabase((database) => {
  const world = database.restored()
  const recording = recordingOf(database.name)
  let target: Target

  beforeAll(async () => {
    target = world.closing(await serveMagazine(recording, world.config))
  })

  it.each([
    'pages?filters[seo][documentId]=a',
    'pages?filters[seo][documentId][$null]=true',
    'pages?filters[$not][seo][documentId]',
    'pages?sort=seo.documentId',
    'articles?filters[relatedBlock][documentId]',
  ])('the document id of a component of Strapi is refused: %s', async (path) => {
    const { status, text } = await target.ask({ path: `/strapi/${path}`, role: 'token' })
    expect([status, text]).toEqual([400, expect.stringContaining('Invalid key documentId')])
  })

  it.each(['/own', '/strapi'])(
    'a NUL is a value or an error wherever a text may stand, below %s',
    async (mount) => {
      const places = [
        '_q=%00',
        'locale=%00',
        'locale[]=a%00',
        'filters[title]=%00',
        'filters[title][$contains]=%00',
      ]
      const queries = [
        ...places,
        'filters[id]=%00',
        'filters[extra]=%00',
        'populate[author][filters][name]=%00',
      ]
      const paths = [
        ...queries.map((query) => `articles?${query}`),
        'articles/%00',
        'articles/a%00?locale=en',
      ]
      for (const path of paths) {
        const { status } = await target.ask({ path: `${mount}/${path}`, role: 'token' })
        expect([path, [200, 400, 404].includes(status)]).toEqual([path, true])
      }
      expect((await target.ask({ path: `${mount}/articles?_q=%00`, role: 'token' })).status).toBe(400)
    },
  )

  it('too many nested brackets are refused', async () => {
    const { status, text } = await target.ask({
      path: `/own/articles?filters${'[$not]'.repeat(1500)}[title]=x`,
      role: 'token',
    })
    expect([status, text]).toEqual([400, expect.stringContaining('at most 250 levels')])
  })

  it.each(['/own', '/strapi', '/cached', '/compressed'])(
    'a long response is whole behind other middleware, below %s',
    async (mount) => {
      // Below 256 KB a body is in one piece.
      const answer = await target.ask({ path: `${mount}/articles?populate=*`, role: 'token' })
      expect(answer.text.length).toBeGreaterThan(262_144)
      expect(answer).toEqual({ status: 200, text: answer.text })
    },
    60_000,
  )

  it('every random request is served or refused, without a blocked event loop', async () => {
    const { asked, statuses, findings } = await campaign({
      requests,
      seed: 7,
      target,
      mostFindings: 3,
    })
    expect(findings).toEqual([])
    expect(asked).toBe(requests)
    expect(statuses['200']).toBeGreaterThan(requests / 10)
  }, 400_000)
})
