import express from 'express'
import request from 'supertest'
import { strapi5 } from '../../../extensions/strapi'
import { contentRouter, type ContentRouterConfig } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { recordingOf } from '../../support/recordings'

const permissions = { public: { find: ['article', 'author', 'tag'] } }

onSqlite((database) => {
  const world = database.restored()

  const preset = { extensions: [strapi5()] }

  const search = async (route: string, words: string, options: Partial<ContentRouterConfig> = preset) => {
    const router = contentRouter({
      ...options,
      contentTypes: recordingOf(database.name).contentTypes,
      database: world.config,
      permissions,
      pagination: { maxPageSize: 1000 },
    })
    world.closing(router)
    const path = `/api/${route}?sort=id&pagination[pageSize]=1000&_q=${encodeURIComponent(words)}`
    const { body } = (await request(express().use('/api', router)).get(path).expect(200)) as {
      body: { data: readonly { id: number }[] }
    }
    return body.data.map(({ id }) => id)
  }

  /** The statement of Strapi, without the private attributes. */
  const asStrapi = async (words: string, numeric: boolean): Promise<readonly number[]> => {
    const texts = ['id', 'document_id', 'title', 'summary', 'body', 'kind', 'contact_email', 'slug', 'locale']
    const numbers = numeric ? ['views', 'big_views', 'rating', 'price'] : []
    const like = database.dialect === 'postgres' ? '??::text ilike ?' : '?? like ?'
    const rows: readonly { id: number }[] = await world
      .knex('articles')
      .whereNotNull('published_at')
      .where('locale', 'en')
      .where((any) => {
        for (const column of [...texts, ...numbers]) void any.orWhereRaw(like, [column, `%${words}%`])
      })
      .orderBy('id')
      .select('id')
    return rows.map(({ id }) => id)
  }

  it.each([
    ['LOREM', false],
    ['é', false],
    ['en', false],
    ['16', true],
    ['-7', true],
    ['900719925474099', true],
    ['1.5', true],
  ])('for %p finds what Strapi finds', async (words, numeric) => {
    const found = await asStrapi(words, numeric)
    expect(found.length).toBeGreaterThan(0)
    expect(await search('articles', words)).toEqual(found)
  })

  it('finds nothing by what is private', async () => {
    await world.knex('articles').update({ internal_note: 'xyzzy' })
    expect(await search('articles', 'xyzzy')).toEqual([])
  })

  it('without the preset looks into texts only, and takes every sign for itself', async () => {
    expect(await search('articles', '16', {})).not.toEqual(await search('articles', '16'))
    const titles: readonly { id: number; title: string }[] = await world
      .knex('articles')
      .whereNotNull('published_at')
      .where('locale', 'en')
      .select('id', 'title')
    const percent = titles.filter(({ title }) => title.includes('100%')).map(({ id }) => id)
    expect(percent.length).toBeGreaterThan(0)
    expect(await search('articles', '100%', {})).toEqual(expect.arrayContaining(percent))
    expect((await search('articles', '100%', {})).length).toBeLessThan(titles.length)
  })
})
