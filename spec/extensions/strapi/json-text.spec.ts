// What Strapi answered on MySQL, as ../shared/strapi5-databases.md says: there the text of JSON is compared.
import express from 'express'
import { strapi5 } from '../../../extensions/strapi'
import { contentRouter, type ContentRouterConfig } from '../../../lib'
import { askerOf } from '../../support/asker'
import { describeOn, testDatabase } from '../../support/databases'
import { recordingOf } from '../../support/recordings'

describeOn(['mysql'])('JSON in %s, compared without regard to case', (name) => {
  const world = testDatabase(name).restored()

  it.each([
    ['$eqi', '42', 9],
    ['$eqi', 'just a string', 0],
    ['$eqi', '"just a string"', 9],
    ['$eqi', 'false', 8],
    ['$nei', '42', 43],
  ])('%s=%s finds %i', async (operator, value, total) => {
    const { contentTypes } = recordingOf(name)
    const permissions = { public: { find: '*' } } as const
    const config: ContentRouterConfig = {
      extensions: [strapi5()],
      contentTypes,
      database: world.config,
      permissions,
    }
    const router = world.closing(contentRouter(config))
    const asker = world.closing(await askerOf(express().use('/api', router)))
    const query = `status=draft&filters[extra][${operator}]=${encodeURIComponent(value)}`
    const { status, body } = await asker.ask(`/api/articles?${query}`)
    expect([status, JSON.parse(body)]).toMatchObject([200, { meta: { pagination: { total } } }])
  })
})
