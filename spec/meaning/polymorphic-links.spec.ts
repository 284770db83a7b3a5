import type { ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { type Entry, stocked } from '../support/served'

const types = [
  collection('deed', {
    title: text,
    marks: relation('morphMany', 'mark', { morphBy: 'subjects' }),
    note: relation('morphOne', 'note', { morphBy: 'subject' }),
    notes: relation('morphMany', 'note', { morphBy: 'subject' }),
  }),
  collection('note', { line: text, subject: { type: 'relation', relation: 'morphToOne' } }),
  collection('mark', { line: text, subjects: { type: 'relation', relation: 'morphToMany' } }),
] as unknown as ContentRouterConfig['contentTypes']

const content = {
  deed: [{ $ref: 'deed', title: 'Mill', marks: ['mark'] }],
  mark: [{ $ref: 'mark', line: 'mark' }],
  note: ['first', 'second'].map((line) => ({ line, subject: { deed: 'deed' } })),
}

const lines = (entries: unknown): unknown[] => (entries as readonly Entry[]).map(({ line }) => line)

onSqlite((database) => {
  const { serve, world } = stocked(database, types, content)

  it('two attributes may be the inverse of one polymorphic relation', async () => {
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

  it('a polymorphic link without a type leads nowhere', async () => {
    await world.knex('marks_subjects_mph').update({ subjects_type: null })
    const { list } = serve()
    for (const populate of ['subjects', '*'])
      expect((await list(`marks?populate=${populate}`)).map((mark) => mark['subjects'])).toEqual([[]])
  })
})
