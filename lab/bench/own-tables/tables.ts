import type { Knex } from 'knex'

const films = 20_000

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1)

/** Tables of an application: films with two foreign keys. */
export async function createTables(knex: Knex): Promise<void> {
  if (await knex.schema.hasTable('own_film')) return
  for (const name of ['own_language', 'own_studio'])
    await knex.schema.createTable(name, (table) => {
      table.integer('id').primary()
      table.string('name').notNullable()
    })
  await knex.schema.createTable('own_film', (table) => {
    table.integer('film_id').primary()
    table.string('title').notNullable()
    table.text('description')
    table.integer('release_year')
    table.integer('language_id').references('own_language.id').index()
    table.integer('studio_id').references('own_studio.id').index()
  })
  await knex('own_language').insert(numbers(20).map((id) => ({ id, name: `Language ${String(id)}` })))
  await knex('own_studio').insert(numbers(400).map((id) => ({ id, name: `Studio ${String(id)}` })))
  const rows = numbers(films).map((at) => ({
    film_id: at,
    title: `Film ${String(at)}`,
    description: `A film about ${'a long walk home, '.repeat(1 + (at % 7))}and number ${String(at)}`,
    release_year: 1950 + (at % 75),
    language_id: 1 + (at % 20),
    studio_id: at % 11 === 0 ? null : 1 + (at % 400),
  }))
  await knex.batchInsert('own_film', rows, 200)
}

const named = (name: string, pluralName: string): object => ({
  kind: 'collectionType',
  collectionName: `own_${name}`,
  info: { singularName: name, pluralName },
  table: {},
  attributes: { name: { type: 'string' } },
})

const foreignKey = (target: string): object => ({
  type: 'relation',
  relation: 'manyToOne',
  target,
  joinColumn: { name: `${target}_id` },
})

export const definitions = [
  named('language', 'languages'),
  named('studio', 'studios'),
  {
    kind: 'collectionType',
    collectionName: 'own_film',
    info: { singularName: 'film', pluralName: 'films' },
    table: { id: 'film_id' },
    attributes: {
      title: { type: 'string' },
      description: { type: 'text' },
      releaseYear: { type: 'integer', columnName: 'release_year' },
      language: foreignKey('language'),
      studio: foreignKey('studio'),
    },
  },
]
