import {
  contentRouter,
  type ContentRouter,
  type ContentRouterConfig,
  migrate,
  type PermissionTable,
} from '../../lib'
import { seed } from '../../extensions/seed'
import { openDatabase } from '../../lib/database'
import { type Definition, readSchema } from '../../lib/schema'
import { checkTables } from '../../lib/tables'
import { eachDatabase, type World } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, component, picture, relation, single, text } from '../support/library'
import { type Entry, stocked } from '../support/served'

const note: Definition = {
  uid: 'api::note.note',
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes' },
  options: { draftAndPublish: false },
  attributes: {
    text: { type: 'string' },
    hidden: { type: 'boolean' },
    number: { type: 'integer' },
    share: { type: 'float' },
    tags: { type: 'json' },
  },
}

const configOf = ({ config }: World) => ({ contentTypes: [note], database: config, logger: false }) as const

const grant = (where: object): PermissionTable[string] => ({ find: { note: { where } } })

async function numbersFor(router: ContentRouter, roles: string, of = ''): Promise<readonly unknown[]> {
  const { data } = await router.as({ roles, asker: { of } }).find('notes', { sort: 'number' })
  return data.map((entry) => entry['number'])
}

const texts = ['privé', 'PRIVÉ', 'prive', 'open', 'open ', 'ab'] as const
const byCodePoint = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

interface TextRule {
  readonly name: string
  readonly where: object
  /** The same condition, evaluated here. */
  readonly lets: (text: string, of: string) => boolean
}

const rules: readonly TextRule[] = [
  { name: 'eq', where: { $eq: { $asker: 'of' } }, lets: (text, of) => text === of },
  { name: 'in', where: { $in: [{ $asker: 'of' }, 'ab'] }, lets: (text, of) => text === of || text === 'ab' },
  { name: 'ne', where: { $ne: { $asker: 'of' } }, lets: (text, of) => text !== of },
  { name: 'notIn', where: { $notIn: [{ $asker: 'of' }] }, lets: (text, of) => text !== of },
  { name: 'not', where: { $not: { $eq: { $asker: 'of' } } }, lets: (text, of) => text !== of },
  { name: 'lt', where: { $lt: { $asker: 'of' } }, lets: (text, of) => byCodePoint(text, of) < 0 },
  { name: 'starts', where: { $startsWith: 'pri' }, lets: (text) => text.startsWith('pri') },
  { name: 'contains', where: { $contains: 'é' }, lets: (text) => text.includes('é') },
  { name: 'lacks', where: { $notContains: 'é' }, lets: (text) => !text.includes('é') },
  { name: 'containsi', where: { $containsi: 'RI' }, lets: (text) => text.toLowerCase().includes('ri') },
  { name: 'eqi', where: { $eqi: 'Open' }, lets: (text) => text === 'open' },
  { name: 'ends', where: { $endsWith: 'n' }, lets: (text) => text.endsWith('n') },
]

/** Where distinct texts may be equal, only parts and the order can be compared. */
const wholeTexts = ['eq', 'in', 'ne', 'notIn', 'not']
const partsAndOrder = rules.filter(({ name }) => !wholeTexts.includes(name))

const ofTexts: PermissionTable = {
  all: { find: '*' },
  ...Object.fromEntries(rules.map(({ name, where }) => [name, grant({ text: where })])),
}

/** Types that other programs give to a column of texts. */
const textColumns = {
  mysql: [
    'character set latin1',
    'character set utf8mb3',
    'character set utf16',
    'character set ucs2',
    'collate utf8mb4_unicode_ci',
  ],
  sqlite: ['collate nocase', 'collate rtrim'],
  postgres: ['varchar(255) collate "C"', 'citext', 'letters', 'varchar(255) collate ci'],
} as const

const postgresTypes = `do $$ begin
  create extension if not exists citext;
  create type letters as enum (${texts.map((text) => `'${text}'`).join(', ')});
  create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create domain short as char(10);
  create domain shorter as short;
exception when duplicate_object then null; end $$`

async function remake({ knex }: World, dialect: keyof typeof textColumns, how: string): Promise<void> {
  if (dialect === 'mysql') await knex.raw(`alter table notes modify text varchar(255) ${how}`)
  else if (dialect === 'postgres') {
    await knex.raw(postgresTypes)
    await knex.raw(`alter table notes alter text type ${how} using text::text::${how}`)
  } else {
    const [table] = await knex.raw<{ sql: string }[]>(`select sql from sqlite_master where name = 'notes'`)
    await knex.raw('drop table notes')
    await knex.raw(String(table?.sql).replace(/[`"]text[`"] varchar\(255\)/, `$& ${how}`))
  }
}

/** Types that no attribute can be read from. */
const unreadable = {
  sqlite: ['BLOB'],
  mariadb: ['varbinary(40)', 'point', 'geometry'],
  mysql: ['varbinary(40)', 'point', 'geometry', 'vector(3)'],
  postgres: ['bytea', 'point', 'path'],
}

/** Types whose values are not those of the attribute. */
const unlike = {
  mariadb: [
    ['hidden', `enum('0', '1')`],
    ['hidden', 'bit(1)'],
    ['text', 'uuid'],
  ],
  mysql: [
    ['hidden', `enum('0', '1')`],
    ['hidden', 'bit(1)'],
  ],
  postgres: [
    ['hidden', 'bit(1)'],
    ['text', 'uuid'],
  ],
} as const

/** Types, character sets and collations that neither Strapi nor `migrate` creates. */
const warned: Readonly<
  Record<'mysql' | 'postgres', readonly (readonly [column: string, type: string, isWarned: boolean])[]>
> = {
  mysql: [
    ['share', 'float', true],
    ['share', 'float(7, 3) unsigned', true],
    ['share', 'double', false],
    ['text', 'year', true],
    ['text', `enum('a', 'b')`, true],
    ['text', 'char(10)', true],
    ['text', 'varchar(255) character set latin1', true],
    ['text', 'varchar(255) collate utf8mb4_unicode_ci', false],
    ['text', 'longtext', false],
    ['text', 'varchar(255), add index whole (text)', false],
    ['text', 'varchar(255), add index beginnings (text(5))', true],
  ],
  postgres: [
    ['text', 'varchar(255) collate ci', true],
    ['text', 'char(10)', true],
    ['text', 'shorter', true],
    ['text', 'varchar(255)', false],
  ],
}

eachDatabase((database) => {
  const { dialect } = database

  describe('a column', () => {
    const world = database.fresh()

    beforeEach(() => migrate(configOf(world)), 60_000)
    afterEach(() => world.knex.raw('drop table notes'))

    async function retype(column: string, type: string): Promise<void> {
      await world.knex.raw('alter table notes drop column ??', [column])
      await world.knex.raw(`alter table notes add column ?? ${type}`, [column])
    }

    const check = (): Promise<unknown> => checkTables(openDatabase(world.knex), readSchema([note]))

    const unread = (name: string, type: string): unknown =>
      expect.objectContaining({
        where: `notes.${name}`,
        problem: expect.stringMatching(
          `^a value of type [a-z]+ cannot be read from a column of type .*${type}`,
        ) as unknown,
      })

    it.each(unreadable[database.name])('that no attribute can be read from is refused: %s', async (type) => {
      await retype('text', type)
      const [name = ''] = type.split('(')
      await expect(check()).rejects.toMatchObject({ faults: [unread('text', name)] })
    })

    if (dialect === 'postgres') {
      it('that holds an array is readable as a string, and as nothing else', async () => {
        for (const [name, type] of [
          ['text', 'text[]'],
          ['tags', 'text[]'],
          ['number', 'integer[]'],
        ] as const)
          await retype(name, type)
        await expect(check()).rejects.toMatchObject({
          faults: [unread('number', 'integer\\[\\]'), unread('tags', 'text\\[\\]')],
        })
      })
    }

    it.each(textColumns[dialect])('with %s is compared and sorted by code point', async (how) => {
      await remake(world, dialect, how)
      await seed(configOf(world), { note: texts.map((text, number) => ({ text, number })) })
      const router = world.closing(contentRouter({ ...configOf(world), permissions: ofTexts }))
      for (const { name, lets } of how.endsWith('collate ci') ? partsAndOrder : rules) {
        for (const of of texts) {
          const expected = texts.flatMap((text, number) => (lets(text, of) ? [number] : []))
          expect([name, of, await numbersFor(router, name, of)]).toEqual([name, of, expected])
        }
      }
      const { data } = await router.as('all').find('notes', { sort: 'text' })
      expect(data.map((entry) => entry['text'])).toEqual([...texts].sort(byCodePoint))
    })

    if (dialect !== 'sqlite' && database.name !== 'sqlite') {
      it.each<readonly [column: string, type: string]>(unlike[database.name])(
        'whose values are not those of the attribute is refused: %s %s',
        async (column, type) => {
          await retype(column, type)
          const router = world.closing(contentRouter({ ...configOf(world), permissions: ofTexts }))
          await expect(router.ready()).rejects.toThrow(`notes.${column}: a `)
        },
      )

      it.each(warned[dialect])(
        'of a type that neither Strapi nor migrate creates causes a warning: %s %s',
        async (column, type, isWarned) => {
          if (dialect === 'postgres') await world.knex.raw(postgresTypes)
          const change = dialect === 'postgres' ? `alter ${column} type` : `modify ${column}`
          await world.knex.raw(`alter table notes ${change} ${type}`)
          const { warnings, logger } = keeping()
          const router = world.closing(contentRouter({ ...configOf(world), permissions: ofTexts, logger }))
          await router.ready()
          expect(warnings.some((warning) => /depend on hidden rows/.test(warning))).toBe(isWarned)
        },
      )
    }

    it('that the database computes is shown, compared and sorted', async () => {
      const type = {
        sqlite: 'float generated always as (number * 1.5) virtual',
        mysql: 'double generated always as (number * 1.5) virtual',
        postgres: 'double precision generated always as (number * 1.5) stored',
      }[dialect]
      await retype('share', type)
      await world
        .knex('notes')
        .insert([1, 2, 4].map((number) => ({ document_id: `n${String(number)}`, number })))
      const permissions = { half: grant({ share: { $gte: 3 } }) }
      const router = world.closing(contentRouter({ ...configOf(world), permissions }))
      await router.ready()
      await migrate(configOf(world))
      const { data } = await router.as('half').find('notes', { sort: 'share:desc' })
      expect(data.map((entry) => entry['share'])).toEqual([6, 3])
    })

    // PostgreSQL has booleans.
    if (dialect === 'postgres') return

    it('of booleans shows true and false where rules find them, and null for other numbers', async () => {
      const stored = [0, 1, 2, -1, null]
      await world
        .knex('notes')
        .insert(stored.map((hidden, number) => ({ document_id: `n${String(number)}`, number, hidden })))
      const permissions: PermissionTable = {
        all: { find: '*' },
        isTrue: grant({ hidden: true }),
        isFalse: grant({ hidden: false }),
        isNotTrue: grant({ hidden: { $ne: true } }),
      }
      const router = world.closing(contentRouter({ ...configOf(world), permissions }))
      const { data } = await router.as('all').find('notes', { sort: 'number' })
      expect(data.map((entry) => entry['hidden'])).toEqual([false, true, null, null, null])
      expect(await numbersFor(router, 'isTrue')).toEqual([1])
      expect(await numbersFor(router, 'isFalse')).toEqual([0])
      // Not null, and not true.
      expect(await numbersFor(router, 'isNotTrue')).toEqual([0, 2, 3])
    })
  })
})

const linkedTypes = [
  collection('deed', {
    title: text,
    seal: picture,
    part: single('part.line'),
    towns: relation('manyToMany', 'town'),
  }),
  collection('town', { name: text }),
  component('part.line', { line: text }),
] as unknown as ContentRouterConfig['contentTypes']

const linked = {
  town: ['A', 'B', 'C', 'D'].map((name) => ({ $ref: name, name })),
  deed: [{ title: 'Mill', seal: { name: 'a.png' }, part: { line: 'one' }, towns: ['A', 'B', 'C', 'D'] }],
}

const namesOf = (entries: unknown): string =>
  (entries as readonly Entry[]).map(({ name }) => String(name)).join('')

eachDatabase((database) => {
  describe('a join table', () => {
    const { serve, world } = stocked(database, linkedTypes, linked)

    it('puts links without an order first, whatever the request populates', async () => {
      const { list } = serve({ nestedPagination: true })
      const { knex } = world
      const towns = await knex<Entry>('towns').orderBy('name')
      // The order is unsigned on MySQL.
      const least = database.dialect === 'mysql' ? 0 : -1
      for (const [at, order] of [least + 2, null, least + 1, least].entries())
        await knex('deeds_towns_lnk').where({ town_id: towns[at]?.['id'] }).update({ town_ord: order })
      const populated = async (how: string): Promise<string> => {
        const [deed] = await list(`deeds?populate[towns]${how}`)
        return namesOf(deed?.['towns'])
      }
      for (const how of ['=true', '[fields]=name', '[pagination][page]=1'])
        expect([how, await populated(how)]).toEqual([how, 'BDCA'])
      if (database.dialect !== 'postgres') return
      // PostgreSQL sorts NaN behind all numbers.
      await knex('deeds_towns_lnk').where({ town_id: towns[3]?.['id'] }).update({ town_ord: 'NaN' })
      for (const how of ['=true', '[pagination][page]=1'])
        expect([how, await populated(how)]).toEqual([how, 'BCAD'])
    })

    if (database.dialect !== 'mysql') return

    it('may have another collation than the tables that it joins', async () => {
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
})
