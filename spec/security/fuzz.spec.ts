import { campaign } from '../../fuzz/campaign'
import { serveMagazine, type Target } from '../../fuzz/serve'
import { eachDatabase } from '../support/databases'
import { recordingOf } from '../support/recordings'

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
  ])('refuses the document ids that Strapi gives no component: %s', async (path) => {
    const { status, text } = await target.ask({ path: `/strapi/${path}`, role: 'token' })
    expect([status, text]).toEqual([400, expect.stringContaining('Invalid key documentId')])
  })

  it('answers or refuses whatever the grammar makes, and holds nobody up', async () => {
    const { asked, statuses, findings } = await campaign({
      requests: 2_000,
      seed: 7,
      target,
      mostFindings: 3,
    })
    expect(findings).toEqual([])
    expect(asked).toBe(2_000)
    expect(statuses['200']).toBeGreaterThan(200)
  }, 60_000)
})
