import type { ContentRouterConfig } from '../../lib'
import { describeOn, eachDatabase, testDatabase } from '../support/databases'
import { collection, component, picture, relation, single, text } from '../support/library'
import { type Entry, stocked } from '../support/served'

const types = [
  collection('deed', {
    title: text,
    seal: picture,
    part: single('part.line'),
    towns: relation('manyToMany', 'town'),
    marks: relation('morphMany', 'mark', { morphBy: 'subjects' }),
    note: relation('morphOne', 'note', { morphBy: 'subject' }),
    notes: relation('morphMany', 'note', { morphBy: 'subject' }),
  }),
  collection('town', { name: text }),
  collection('note', { line: text, subject: { type: 'relation', relation: 'morphToOne' } }),
  collection('mark', {
    line: text,
    subject: { type: 'relation', relation: 'morphToOne' },
    subjects: { type: 'relation', relation: 'morphToMany' },
  }),
  component('part.line', { line: text }),
] as unknown as ContentRouterConfig['contentTypes']

const content = {
  town: ['A', 'B', 'C', 'D'].map((name) => ({ $ref: name, name })),
  deed: [
    {
      $ref: 'deed',
      title: 'Mill',
      seal: { name: 'a.png' },
      part: { line: 'one' },
      towns: ['A', 'B', 'C', 'D'],
      marks: ['mark'],
    },
  ],
  mark: [{ $ref: 'mark', line: 'mark' }],
  note: ['first', 'second'].map((line) => ({ line, subject: { deed: 'deed' } })),
}

const lines = (entries: unknown): unknown[] => (entries as readonly Entry[]).map(({ line }) => line)
const names = (entries: unknown): string =>
  (entries as readonly Entry[]).map(({ name }) => String(name)).join('')

eachDatabase((database) => {
  const { serve, world } = stocked(database, types, content)

  it('let two attributes be the other side of one relation', async () => {
    const { list } = serve()
    for (const populate of ['populate=*', 'populate=note,notes', 'populate=notes,note']) {
      const [deed] = await list(`deeds?${populate}`)
      expect([populate, (deed?.['note'] as Entry)['line'], lines(deed?.['notes'])]).toEqual([
        populate,
        'first',
        ['first', 'second'],
      ])
    }
  })

  it('put links without a place before all others, however they are asked for', async () => {
    const { list } = serve({ nestedPagination: true })
    const { knex } = world
    const towns = await knex<Entry>('towns').orderBy('name')
    // Places have no sign on MySQL.
    const least = database.dialect === 'mysql' ? 0 : -1
    for (const [at, place] of [least + 2, null, least + 1, least].entries())
      await knex('deeds_towns_lnk').where({ town_id: towns[at]?.['id'] }).update({ town_ord: place })
    const ask = async (how: string): Promise<string> => {
      const [deed] = await list(`deeds?populate[towns]${how}`)
      const { data = deed?.['towns'] } = deed?.['towns'] as { readonly data?: unknown }
      return names(data)
    }
    for (const how of ['=true', '[fields]=name', '[pagination][page]=1', '[pagination][after]=']) {
      expect([how, await ask(how)]).toEqual([how, 'BDCA'])
    }
    if (database.dialect !== 'postgres') return
    // What is no number comes behind all numbers there.
    await knex('deeds_towns_lnk').where({ town_id: towns[3]?.['id'] }).update({ town_ord: 'NaN' })
    for (const how of ['=true', '[pagination][page]=1']) expect([how, await ask(how)]).toEqual([how, 'BCAD'])
  })

  it('lead nowhere where they name no type', async () => {
    await world.knex('marks_subjects_mph').update({ subjects_type: null })
    const { list } = serve()
    for (const populate of ['subjects', '*'])
      expect((await list(`marks?populate=${populate}`)).map((mark) => mark['subjects'])).toEqual([[]])
  })
})

describeOn(['mariadb', 'mysql'])('tables of links in several collations of %s', (name) => {
  const { serve, world } = stocked(testDatabase(name), types, content)

  it('are read together all the same', async () => {
    const { list } = serve()
    const before = await list('deeds?populate=*')
    for (const [table, collation] of [
      ['files_related_mph', 'utf8mb4_unicode_ci'],
      ['deeds_cmps', 'utf8mb4_bin'],
      ['deeds', 'utf8mb4_general_ci'],
    ] as const)
      await world.knex.raw(`alter table ?? convert to character set utf8mb4 collate ${collation}`, [table])
    expect(await list('deeds?populate=*')).toEqual(before)
  })
})
