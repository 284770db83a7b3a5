import { setTimeout as pause } from 'node:timers/promises'
import { knex as makeKnex, type Knex } from 'knex'
import { type ContentRouterConfig, migrate } from '../../lib'
import { seed } from '../../extensions/seed'

const type = (singularName: string, attributes: object): object => ({
  kind: 'collectionType',
  collectionName: `${singularName}s`,
  info: { singularName, pluralName: `${singularName}s`, displayName: singularName },
  options: { draftAndPublish: false },
  attributes,
})

export const contentTypes = [
  type('article', {
    title: { type: 'string' },
    edition: { type: 'integer' },
    author: { type: 'relation', relation: 'manyToOne', target: 'author' },
  }),
  type('author', { name: { type: 'string' }, edition: { type: 'integer' } }),
] as unknown as Extract<ContentRouterConfig['contentTypes'], readonly object[]>

export async function fill(database: Knex.Config): Promise<void> {
  await migrate({ contentTypes, database })
  const article = Array.from({ length: 200 }, (_, number) => ({
    title: `Article ${String(number)}`,
    edition: 0,
    author: 'ada',
  }))
  await seed({ contentTypes, database }, { author: [{ $ref: 'ada', name: 'Ada', edition: 0 }], article })
}

/** Publishes a new edition of everything every half second, in one transaction, as long as the primary takes writes. */
export function startEditor(database: Knex.Config): { readonly stop: () => Promise<void> } {
  const knex = makeKnex({ ...database, pool: { min: 0, max: 1 } })
  const course = { isOver: false }
  const publish = (edition: number): Promise<void> =>
    knex.transaction(async (transaction) => {
      await transaction('authors').update({ edition })
      await transaction('articles').update({ edition })
    })
  const work = (async () => {
    for (let edition = 1; !course.isOver; edition += 1) {
      await publish(edition).catch(() => undefined)
      await pause(500)
    }
  })()
  return {
    stop: async () => {
      course.isOver = true
      await work
      await knex.destroy()
    },
  }
}
