import type { ContentRouterConfig } from '../../lib'
import { eachDatabase } from '../support/databases'
import { collection, component, relation, single, text } from '../support/library'
import { stocked } from '../support/served'

const json = { type: 'json' }

const types = [
  collection('note', {
    name: text,
    isOpen: { type: 'boolean' },
    meta: json,
    body: { type: 'text' },
    labels: relation('manyToMany', 'label', { inversedBy: 'notes' }),
    part: single('shared.part'),
  }),
  collection('label', { name: text, notes: relation('manyToMany', 'note', { mappedBy: 'labels' }) }),
  component('shared.part', { extra: json }),
] as ContentRouterConfig['contentTypes']

const wide = { a: 1, lists: Array.from({ length: 60 }, () => [{}]) }
const labels = ['one']

const content = {
  label: [{ $ref: 'one', name: 'one' }],
  note: [
    { name: 'a', isOpen: true, meta: { a: 1 }, body: '{"a":1}', labels, part: { extra: { a: 1 } } },
    { name: 'b', isOpen: true, meta: wide, body: JSON.stringify(wide), labels, part: { extra: wide } },
    { name: 'c', isOpen: true, meta: { a: 2 }, body: 'none', labels, part: { extra: {} } },
    { name: 'd', isOpen: false, labels, part: { extra: {} } },
  ],
}

/** One level more than MySQL reads. */
const deep = '['.repeat(101) + ']'.repeat(101)

const held = '[$jsonSupersetOf]={"a":1}'
const inJson = [
  `notes?filters[meta]${held}`,
  `notes?filters[part][extra]${held}`,
  `notes?filters[labels][notes][meta]${held}`,
  `notes?filters[labels][$some][notes][$some][meta]${held}`,
  `labels?filters[notes][$none][meta]${held}`,
  `labels?populate[notes][filters][meta]${held}`,
]
const inTexts = [`notes?filters[body]${held}`, `notes?filters[$not][body]${held}`]

/** SQLite has nothing for it, and PostgreSQL has it for JSON alone. */
const answered = {
  sqlite: { json: 400, texts: 400 },
  mariadb: { json: 200, texts: 200 },
  mysql: { json: 200, texts: 200 },
  postgres: { json: 200, texts: 400 },
}

eachDatabase((database) => {
  const { world, serve } = stocked(database, types, content)
  const isAsked = database.name !== 'sqlite'
  const where = isAsked ? { meta: { $jsonSupersetOf: '{"a":1}' } } : { name: 'none' }
  const permissions = {
    own: { find: { note: { where: { isOpen: { $ne: false } } }, label: true } },
    held: { find: { note: { where } } },
    unheld: { find: { note: { where: { $not: where } } } },
  } as const

  beforeAll(async () => {
    const { knex } = world
    if (database.dialect === 'mysql') {
      await knex.raw('alter table notes modify meta longtext')
      await knex.raw('alter table components_shared_part modify extra longtext')
    }
    await knex('notes').where({ name: 'd' }).update({ meta: deep, body: deep })
    const hidden = knex('notes').select('id').where({ name: 'd' })
    const parts = knex('notes_cmps').select('cmp_id').whereIn('entity_id', hidden)
    await knex('components_shared_part').whereIn('id', parts).update({ extra: deep })
  })

  it('what is hidden and goes deeper than the database reads is asked of as all else is', async () => {
    const { get } = serve({ textMatching: 'database', permissions })
    const { json, texts } = answered[database.name]
    for (const path of inJson) expect([path, (await get(path, 'own')).status]).toEqual([path, json])
    for (const path of inTexts) expect([path, (await get(path, 'own')).status]).toEqual([path, texts])
  })

  if (isAsked) {
    it('what is less deep is found, by rules as well, but on MySQL no text of more brackets', async () => {
      const { values } = serve({ textMatching: 'database', permissions })
      const found = database.name === 'mysql' ? ['a'] : ['a', 'b']
      expect(await values(`notes?filters[meta]${held}&sort=name`, 'name', 'own')).toEqual(found)
      expect(await values('notes?sort=name', 'name', 'held')).toEqual(found)
      expect(await values('notes?filters[name][$ne]=d&sort=name', 'name', 'unheld')).toEqual(['c'])
    })
  }
})
