import { eachDatabase } from '../support/databases'
import type { ContentRouterConfig } from '../../lib'
import { collection, relation, text } from '../support/library'
import { stocked } from '../support/served'

const types = [
  collection('note', { name: text, labels: relation('manyToMany', 'label', { inversedBy: 'notes' }) }),
  collection('label', {
    name: text,
    isOpen: { type: 'boolean' },
    notes: relation('manyToMany', 'note', { mappedBy: 'labels' }),
  }),
] as ContentRouterConfig['contentTypes']

/** Which collations take for equal. */
const names = ['a', 'A', 'á', 'Á', 'à', 'b', 'B', 'b\u0301']

const content = {
  label: names.map((name) => ({ $ref: name, name, isOpen: true })),
  note: names.map((name, at) => ({
    name: String(at),
    labels: names.filter((other) => other !== name).reverse(),
  })),
}

const hidden = 3000

eachDatabase((database) => {
  const { world, serve } = stocked(database, types, content)
  const paths = ['asc', 'desc'].flatMap((direction) =>
    ['after', 'before'].map(
      (side) => `notes?sort=labels.name:${direction}&pagination[${side}]=&pagination[pageSize]=2`,
    ),
  )

  const answers = async (): Promise<readonly string[]> => {
    const { get } = serve({
      textMatching: 'database',
      permissions: { own: { find: { note: true, label: { where: { isOpen: { $ne: false } } } } } },
    })
    const all: string[] = []
    for (const path of paths) all.push((await get(path, 'own')).text)
    return all
  }

  it('a cursor holds the same of several texts that are equal, however many hidden ones there are', async () => {
    const before = await answers()
    expect(before.filter((answer) => answer.includes('startCursor'))).toHaveLength(paths.length)
    const { knex } = world
    const ids = Array.from({ length: hidden }, (_, at) => 1000 + at)
    await knex.batchInsert(
      'labels',
      ids.map((id) => ({
        id,
        document_id: `d${String(id)}`,
        name: 'a',
        is_open: false,
        published_at: knex.fn.now(),
      })),
      500,
    )
    await knex.batchInsert(
      'notes_labels_lnk',
      ids.map((id) => ({ note_id: 1 + (id % names.length), label_id: id, label_ord: 1, note_ord: 1 })),
      500,
    )
    for (const table of ['labels', 'notes_labels_lnk'])
      await knex.raw(database.dialect === 'mysql' ? 'analyze table ??' : 'analyze ??', [table])
    expect(await answers()).toEqual(before)
  })
})
