import type { ContentRouterConfig } from '../../lib'
import { describeOn, testDatabase } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { stocked } from '../support/served'

const types = [
  collection('tag', { name: text, arts: relation('manyToMany', 'art', { mappedBy: 'tags' }) }),
  collection('art', { name: text, tags: relation('manyToMany', 'tag', { inversedBy: 'arts' }) }),
] as ContentRouterConfig['contentTypes']

const tags = 400
const content = {
  tag: Array.from({ length: tags }, (_, at) => ({ $ref: `t${String(at)}`, name: String(at) })),
  art: Array.from({ length: 2000 }, (_, at) => ({
    name: String(at),
    tags: [0, 7, 11].map((step) => `t${String((at + step) % tags)}`),
  })),
}

interface Plan {
  readonly select_type: string
}

/** MariaDB 10.11 takes for the key of a group the value of another set of the same join, before that set has been read. */
describeOn(['mariadb'])('links that are counted on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), types, content)

  it.each([
    'tags?filters[arts][$count][$gte]=1&filters[arts][name]=3',
    'tags?filters[arts][$count][$gte]=1&filters[id][$in][0]=3&filters[id][$in][1]=9',
    'tags?filters[arts][$count][$gte]=1&filters[$or][0][arts][name]=3&sort=arts.$count',
  ])('are grouped at once, and not for each row: %s', async (path) => {
    await world.knex.raw('analyze table tags, arts, arts_tags_lnk')
    const statements: string[] = []
    const { page } = serve({ onStatement: ({ sql }) => statements.push(sql) })
    await page(path)
    const grouped = statements.filter((sql) => sql.includes('group by'))
    expect(grouped).not.toEqual([])
    for (const sql of grouped) {
      const values = Array.from(sql.matchAll(/\?/g), () => 3)
      const [plan] = await world.knex.raw<readonly [readonly Plan[]]>(`explain ${sql}`, values)
      expect(plan.map((step) => step.select_type)).not.toContain('LATERAL DERIVED')
    }
  })
})
