import { eachDatabase } from '../support/databases'

eachDatabase((database) => {
  describe('a fresh database', () => {
    const world = database.fresh()

    it('is empty, and keeps what is written to it', async () => {
      await world.knex.schema.createTable('words', (table) => table.string('word'))
      await world.knex('words').insert({ word: 'Zażółć 🚀' })
      expect(await world.knex('words')).toEqual([{ word: 'Zażółć 🚀' }])
    })
  })

  describe('a second one', () => {
    const world = database.fresh()

    it('knows nothing of the first', async () => {
      expect(await world.knex.schema.hasTable('words')).toBe(false)
    })
  })

  describe('the recorded database', () => {
    const world = database.restored()

    it('holds the articles of the magazine', async () => {
      const [published] = await world.knex('articles').whereNotNull('published_at').count({ count: '*' })
      expect(Number(published?.['count'])).toBeGreaterThan(50)
    })
  })
})
