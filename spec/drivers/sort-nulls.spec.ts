import type { ContentRouterConfig } from '../../lib'
import type { SeedContent } from '../../extensions/seed'
import { eachDatabase } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'
import { type Served, stocked } from '../support/served'

const types = [
  collection('node', {
    name: text,
    number: integer,
    word: text,
    at: { type: 'datetime' },
    data: { type: 'json' },
    out: relation('manyToMany', 'node'),
  }),
] as unknown as ContentRouterConfig['contentTypes']

const node = (name: string, out: readonly string[], number?: number) => ({
  ...{ $ref: name, name, out },
  ...(number === undefined
    ? {}
    : { number, word: `n${String(number)}`, at: `1${String(number)}-01-01T00:00:00.000Z`, data: number }),
})

const content: SeedContent = {
  node: [
    node('high', ['high'], 999),
    node('either', ['high', 'blind'], 105),
    node('blind', ['end'], 104),
    node('end', []),
    node('low', ['low'], 100),
  ],
}

eachDatabase((database) => {
  const { serve } = stocked(database, types, content)
  let router: Served | undefined

  describe('a sort through links with textMatching: database', () => {
    it.each(['number', 'word', 'at', 'data'])('has nulls where the database has them: %s', async (key) => {
      router ??= serve({ textMatching: 'database' })
      const { values } = router
      const sorted = (direction: string): Promise<unknown[]> =>
        values(`nodes?sort=out.out.out.out.${key}:${direction}`, 'name')
      const isPostgres = database.name === 'postgres'
      const nullsFirst = ['either', 'blind', 'end']
      expect(await sorted('asc')).toEqual(
        isPostgres ? ['low', 'high', ...nullsFirst] : [...nullsFirst, 'low', 'high'],
      )
      expect(await sorted('desc')).toEqual(
        isPostgres ? [...nullsFirst, 'high', 'low'] : ['high', 'either', 'low', 'blind', 'end'],
      )
    })
  })
})
