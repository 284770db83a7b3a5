import { onSqlite } from '../../support/databases'
import { collection, component, picture, relation, single, text } from '../../support/library'
import { stocked } from '../../support/served'

const hidden = { private: true }
const types = [
  {
    ...collection('file-note', {
      title: text,
      owner: relation('manyToOne', 'api::person.person', { ...hidden, inversedBy: 'notes' }),
      readers: relation('manyToMany', 'api::person.person', hidden),
      scan: { ...picture, ...hidden },
      mark: { ...single('part.mark'), ...hidden },
      about: { type: 'relation', relation: 'morphToMany', ...hidden },
    }),
    collectionName: 'file_notes',
  },
  collection('person', {
    name: text,
    notes: relation('oneToMany', 'api::file-note.file-note', { mappedBy: 'owner' }),
  }),
  component('part.mark', { line: text, by: relation('oneToOne', 'api::person.person', hidden) }),
] as unknown as Parameters<typeof stocked>[1]

onSqlite((database) => {
  const { serve, world } = stocked(database, types, {
    person: [
      { $ref: 'ann', name: 'Ann' },
      { $ref: 'bob', name: 'Bob' },
    ],
    'file-note': [
      {
        title: 'Secret',
        owner: 'ann',
        readers: ['bob', 'ann'],
        scan: { name: 'scan.png' },
        mark: { line: 'seen', by: 'bob' },
      },
    ],
  })

  it('seeds what is private and leads to other rows, as it does what is private and holds a value', async () => {
    const { knex } = world
    expect(await knex('file_notes_owner_lnk').select('person_id')).toHaveLength(1)
    expect(await knex('file_notes_readers_lnk').orderBy('person_ord').pluck('person_id')).toHaveLength(2)
    expect(await knex('files_related_mph').pluck('field')).toEqual(['scan'])
    expect(await knex('components_part_mark').pluck('line')).toEqual(['seen'])
    expect(await knex('components_part_mark_by_lnk').select('person_id')).toHaveLength(1)
  })

  it('shows none of it, and no client may name it', async () => {
    const served = serve()
    const [note] = await served.list('file-notes?populate=*')
    for (const name of ['owner', 'readers', 'scan', 'mark', 'about']) {
      expect(note).not.toHaveProperty(name)
      expect((await served.refusal(`file-notes?populate=${name}`)).message).toBe(`Invalid key ${name}`)
    }
    expect((await served.refusal('file-notes?filters[owner][name]=Ann')).message).toBe('Invalid key owner')
    const [ann] = await served.list('persons?populate=notes&sort=name')
    expect(ann).toMatchObject({ name: 'Ann', notes: [{ title: 'Secret' }] })
  })
})
