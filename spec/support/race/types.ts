import type { SeedContent } from '../../../lib'
import { collection, component, relation, single, text } from '../library'

/** Every fact lies in a table of its own, so that writers wait for each other only where that is meant. */
export const contentTypes = [
  collection('post', {
    title: text,
    seo: single('shared.card'),
    writer: relation('manyToOne', 'writer'),
    series: relation('manyToOne', 'serial'),
    note: relation('manyToOne', 'note'),
    tags: relation('manyToMany', 'tag'),
  }),
  collection('writer', { name: text, place: relation('manyToOne', 'place') }),
  collection('place', { name: text }),
  collection('serial', { name: text }),
  collection('note', { name: text }),
  collection('tag', { name: text }),
  component('shared.card', { title: text }),
] as never

/** How many tags the link goes round. */
export const tagCount = 50

export const content = {
  place: [{ $ref: 'place', name: '0' }],
  writer: [{ $ref: 'writer', name: '0', place: 'place' }],
  serial: [{ $ref: 'series', name: '0' }],
  note: [{ $ref: 'note', name: 'kept' }],
  tag: [...Array(tagCount).keys()].map((tag) => ({ $ref: `tag ${String(tag)}`, name: String(tag) })),
  post: [
    {
      title: '0',
      seo: { title: '0' },
      writer: 'writer',
      series: 'series',
      note: 'note',
      tags: ['tag 0'],
    },
  ],
} as unknown as SeedContent

/** Public may read everything but writers, which is what a writer of permissions grants and takes away. */
export const alwaysGranted = ['post', 'place', 'serial', 'note', 'tag']
