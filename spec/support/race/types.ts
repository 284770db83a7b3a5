import type { SeedContent } from '../../../extensions/seed'
import type { World } from '../databases'
import type { GrantRow } from './history'
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
const alwaysGranted = ['post', 'place', 'serial', 'note', 'tag']

/** Rows as Strapi's admin panel writes them: public may read all but writers; the row that would let it is returned. */
export async function writePermissions({ knex }: World): Promise<GrantRow> {
  await knex('up_roles').insert({ id: 1, type: 'public' })
  const names = [...alwaysGranted, 'writer']
  await knex('up_permissions').insert(
    names.map((name, at) => ({ id: at + 1, action: `api::${name}.${name}.find` })),
  )
  const links = names.map((_, at) => ({ permission_id: at + 1, role_id: 1 }))
  await knex('up_permissions_role_lnk').insert(links.slice(0, -1))
  return links.at(-1) ?? {}
}
