import express from 'express'
import { aggregates } from '../../../extensions/aggregate'
import { fromDatabase, strapi5 } from '../../../extensions/strapi'
import { type Asker, askerOf } from '../../support/asker'
import { onSqlite } from '../../support/databases'
import { library } from '../../support/library'
import { keyOfToken, siteOver } from '../../support/recorded-site'
import { stocked } from '../../support/served'

const path = 'books/aggregate?aggregate[count]=true&groupBy=author.name'

onSqlite((database) => {
  describe('with fromDatabase()', () => {
    const { world, serve } = stocked(database, library, {
      author: [{ $ref: 'ada', name: 'Ada' }],
      book: [
        { title: 'Dawn', author: 'ada' },
        { title: 'Dusk', author: 'ada' },
      ],
    })
    const roles = ['public', 'authenticated', 'staff']

    beforeAll(async () => {
      await world.knex('up_roles').insert(roles.map((type, index) => ({ id: index + 1, name: type, type })))
      const actions = [
        ['public', 'api::book.book.find'],
        ['authenticated', 'api::book.book.find'],
        ['authenticated', 'api::book.book.aggregate'],
        ['authenticated', 'api::author.author.find'],
        ['staff', 'api::book.book.aggregate'],
      ] as const
      for (const [at, [role, action]] of actions.entries()) {
        await world.knex('up_permissions').insert({ id: at + 1, action })
        const link = { permission_id: at + 1, role_id: roles.indexOf(role) + 1, permission_ord: at }
        await world.knex('up_permissions_role_lnk').insert(link)
      }
    })

    it('a role needs the action aggregate of the type, beside find', async () => {
      const { get } = serve({ permissions: fromDatabase(), extensions: [aggregates()] })
      expect((await get(path, 'public')).status).toBe(403)
      expect((await get('books?facets=title', 'public')).status).toBe(403)
      expect((await get(path, 'staff')).status).toBe(403)
      expect((await get('authors/aggregate?aggregate[count]=true', 'authenticated')).status).toBe(403)
      expect((await get(path, 'authenticated')).body).toMatchObject({
        data: [{ group: { 'author.name': 'Ada' }, count: 2 }],
      })
    })

    it('the rules of the role hold', async () => {
      const rules = { authenticated: { book: { where: { title: { $eq: 'Dusk' } } } } }
      const { get } = serve({ permissions: fromDatabase({ rules }), extensions: [aggregates()] })
      expect((await get(path, 'authenticated')).body).toMatchObject({ data: [{ count: 1 }] })
    })
  })

  describe('with strapi5() over a database of Strapi', () => {
    const world = database.restored()
    let asker: Asker

    beforeAll(async () => {
      const router = siteOver(world, database)({ extensions: [strapi5(), aggregates()], logger: false })
      asker = world.closing(await askerOf(express().use('/api', router)))
      for (const type of ['full-access', 'read-only'])
        await world
          .knex('strapi_api_tokens')
          .insert({ name: type, type, kind: 'content-api', access_key: keyOfToken(type) })
    })

    const statusOf = async (token?: string): Promise<number> => {
      const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
      return (await asker.ask('/api/tags/aggregate?aggregate[count]=true', headers)).status
    }

    it('a token with full access may aggregate, a read-only token and the public role may not', async () => {
      expect([await statusOf('full-access'), await statusOf('read-only'), await statusOf()]).toEqual([
        200, 403, 403,
      ])
    })
  })
})
