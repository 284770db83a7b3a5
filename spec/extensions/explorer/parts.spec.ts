import express from 'express'
import request from 'supertest'
import { contentRouter, type ContentRouterConfig, migrate, seed, strapi5 } from '../../../lib'
import { contentExplorer } from '../../../lib/explorer'
import { onSqlite, type World } from '../../support/databases'
import { collection, text } from '../../support/library'
import { recordingOf } from '../../support/recordings'

interface Told {
  readonly types: readonly {
    readonly uid: string
    readonly kind: string
    readonly scalars: readonly { readonly name: string }[]
  }[]
}

/** The names of the scalars of each component, as the page is told, and those of one as it is answered. */
async function namesOf(
  config: Omit<ContentRouterConfig, 'database'>,
  world: World,
  query: string,
): Promise<{ readonly told: ReadonlyMap<string, readonly string[]>; readonly answered: object }> {
  const api = world.closing(
    contentRouter({
      ...config,
      database: world.config,
      role: () => 'public',
      permissions: { public: { find: '*' } },
      logger: false,
    }),
  )
  const app = express().use('/explorer', contentExplorer(api))
  const { types } = ((await request(app).get('/explorer/types').expect(200)) as { body: Told }).body
  const { data } = (
    (await request(app).get(`/explorer/ask/${query}`).expect(200)) as { body: { data: { seo: object }[] } }
  ).body
  const parts = types.filter(({ kind }) => kind === 'component')
  return {
    told: new Map(parts.map(({ uid, scalars }) => [uid, scalars.map(({ name }) => name)])),
    answered: data[0]?.seo ?? {},
  }
}

const ofSeo = 'articles?populate[seo]=true&filters[seo][id][$notNull]=true&pagination[pageSize]=1'

onSqlite((database) => {
  describe('parts in the explorer, in tables that Strapi made', () => {
    const world = database.restored()

    it('have no document id to choose, as their answers have none', async () => {
      const config = { ...strapi5, contentTypes: recordingOf(database.name).contentTypes }
      const { told, answered } = await namesOf(config, world, ofSeo)
      expect(told.get('shared.seo')).toEqual(Object.keys(answered))
      expect([...told.values()].filter((names) => names.includes('documentId'))).toEqual([])
      expect([...told.values()].every(([first]) => first === 'id')).toBe(true)
    })
  })

  describe('parts in the explorer, in tables that were made for them', () => {
    const world = database.fresh()

    it('have the document id that their answers have', async () => {
      const seo = {
        collectionName: 'components_shared_seos',
        info: { displayName: 'Seo' },
        attributes: { title: text },
      }
      const article = collection('article', {
        title: text,
        seo: { type: 'component', component: 'shared.seo' },
      })
      const contentTypes = [
        article,
        { uid: 'shared.seo', ...seo },
      ] as unknown as ContentRouterConfig['contentTypes']
      await migrate({ contentTypes, database: world.config })
      await seed(
        { contentTypes, database: world.config },
        { article: [{ title: 'Dawn', seo: { title: 'At dawn' } }] },
      )
      const { told, answered } = await namesOf({ contentTypes }, world, ofSeo)
      expect(told.get('shared.seo')).toEqual(Object.keys(answered))
      expect(told.get('shared.seo')).toContain('documentId')
    })
  })
})
