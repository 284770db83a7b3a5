import express from 'express'
import request from 'supertest'
import { strapi5 } from '../../../extensions/strapi'
import { contentRouter, migrate } from '../../../lib'
import { seed } from '../../../extensions/seed'
import { onSqlite } from '../../support/databases'

const note = {
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  options: { draftAndPublish: false },
  attributes: { title: { type: 'string' }, extra: { type: 'json' }, text: { type: 'text' } },
}

/** What the databases of the preset can look into; SQLite has nothing for it. */
const finds = {
  sqlite: { extra: 400, text: 400 },
  mariadb: { extra: ['both', 'more'], text: ['more'] },
  mysql: { extra: ['both', 'more'], text: ['more'] },
  postgres: { extra: ['both', 'more'], text: 400 },
}

onSqlite((database) => {
  const world = database.fresh()
  const config = () =>
    ({ contentTypes: [note], database: world.config, permissions: { public: { find: '*' } } }) as const

  const asStrapi = { extensions: [strapi5()] }

  const ask = async (preset: object, condition: string): Promise<unknown> => {
    const app = express().use('/api', world.closing(contentRouter({ ...preset, ...config() })))
    const { status, body } = (await request(app).get(`/api/notes?sort=title&filters${condition}`)) as {
      status: number
      body: { data: readonly { title: string }[] }
    }
    return status === 200 ? body.data.map(({ title }) => title) : status
  }

  beforeAll(async () => {
    await migrate(config())
    await seed(config(), {
      note: [
        { title: 'both', extra: { a: 1, b: [1, 2] }, text: 'no json {' },
        { title: 'more', extra: { a: 1, b: [2, 3, 1], c: null }, text: '{"a": 1}' },
        { title: 'other', extra: { a: 2 }, text: '{"a": 2}' },
        { title: 'none' },
      ],
    })
  })

  it('finds what holds a piece of JSON, where the database can', async () => {
    const { extra, text } = finds[database.name]
    expect(await ask(asStrapi, '[extra][$jsonSupersetOf]={"a":1,"b":[1]}')).toEqual(extra)
    expect(await ask(asStrapi, '[text][$jsonSupersetOf]={"a":1}')).toEqual(text)
  })

  it('refuses what is no JSON, and everything where answers must be the same on every database', async () => {
    expect(await ask(asStrapi, '[extra][$jsonSupersetOf]={a')).toBe(400)
    for (const attribute of ['extra', 'text'])
      expect(await ask({}, `[${attribute}][$jsonSupersetOf]={"a":1}`)).toBe(400)
  })

  it.each([100, 7500])('does not fail on JSON %p lists deep', async (depth) => {
    const deep = '['.repeat(depth) + ']'.repeat(depth)
    for (const operator of ['$jsonSupersetOf', '$eq']) {
      expect([400, []]).toContainEqual(await ask(asStrapi, `[extra][${operator}]=${deep}`))
    }
  })
})
