import { knex as makeKnex, type Knex } from 'knex'
import { contentRouter, type ContentRouter, migrate, seed, type PermissionTable } from '../../lib'
import type { Definition } from '../../lib/schema'
import { describeOn, eachDatabase, testDatabase, type World } from '../support/databases'
import { keeping } from '../support/hearing'
import { saying } from '../support/saying'

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
  },
}

const texts = ['privé', 'PRIVÉ', 'prive', 'open', 'open ', 'ab'] as const
const byCodePoint = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

interface TextRule {
  readonly name: string
  readonly where: object
  /** By plain evaluation. */
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

const grant = (where: object): PermissionTable[string] => ({ find: { note: { where } } })

const ofTexts: PermissionTable = {
  all: { find: '*' },
  ...Object.fromEntries(rules.map(({ name, where }) => [name, grant({ text: where })])),
}

async function numbersFor(router: ContentRouter, roles: string, of = ''): Promise<readonly unknown[]> {
  const { data } = await router.as({ roles, asker: { of } }).find('notes', { sort: 'number' })
  return data.map((entry) => entry['number'])
}

/** What other programs make of a column of texts. */
const columns = {
  mysql: [
    'character set latin1',
    'character set utf8mb3',
    'character set utf16',
    'character set ucs2',
    'collate utf8mb4_unicode_ci',
  ],
  sqlite: ['collate nocase', 'collate rtrim'],
  postgres: ['varchar(255) collate "C"', 'citext', 'letters'],
} as const

/** Where what differs may be equal, and an operator may be missing. */
const letters = `do $$ begin
  create extension if not exists citext;
  create type letters as enum (${texts.map((text) => `'${text}'`).join(', ')});
  create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
exception when duplicate_object then null; end $$`

async function remake({ knex }: World, dialect: keyof typeof columns, how: string): Promise<void> {
  await knex('notes').delete()
  if (dialect === 'mysql') await knex.raw(`alter table notes modify text varchar(255) ${how}`)
  else if (dialect === 'postgres') {
    await knex.raw(letters)
    await knex.raw(`alter table notes alter text type ${how} using text::text::${how}`)
  } else {
    const [table] = await knex.raw<{ sql: string }[]>(`select sql from sqlite_master where name = 'notes'`)
    await knex.raw('drop table notes')
    await knex.raw(String(table?.sql).replace(/[\`"]text[\`"] varchar\(255\)/, `$& ${how}`))
  }
}

interface Config {
  readonly contentTypes: readonly Definition[]
  readonly database: Knex.Config
  readonly logger: false
}

const configOf = ({ config }: World): Config => ({ contentTypes: [note], database: config, logger: false })

eachDatabase((database) => {
  const { dialect } = database
  const world = database.fresh()

  beforeEach(() => migrate(configOf(world)), 60_000)
  afterEach(() => world.knex.raw('drop table notes'))

  async function expectByCodePoint(how: string, tried = rules): Promise<void> {
    await remake(world, dialect, how)
    await seed(configOf(world), { note: texts.map((text, number) => ({ text, number })) })
    const router = world.closing(contentRouter({ ...configOf(world), permissions: ofTexts }))
    for (const { name, lets } of tried) {
      for (const of of texts) {
        const expected = texts.flatMap((text, number) => (lets(text, of) ? [number] : []))
        expect([name, of, await numbersFor(router, name, of)]).toEqual([name, of, expected])
      }
    }
    const { data } = await router.as('all').find('notes', { sort: 'text' })
    expect(data.map((entry) => entry['text'])).toEqual([...texts].sort(byCodePoint))
  }

  it.each(columns[dialect])('compares texts by code point in a column with %s', (how) =>
    expectByCodePoint(how),
  )

  it('reads a column that the database works out', async () => {
    const type = {
      sqlite: 'float generated always as (number * 1.5) virtual',
      mysql: 'double generated always as (number * 1.5) virtual',
      postgres: 'double precision generated always as (number * 1.5) stored',
    }[dialect]
    await world.knex.raw('alter table notes drop column share')
    await world.knex.raw(`alter table notes add column share ${type}`)
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

  if (dialect === 'postgres') {
    it('looks for parts, and for what comes before, where what differs is equal', async () => {
      const whole = ['eq', 'in', 'ne', 'notIn', 'not']
      const others = rules.filter(({ name }) => !whole.includes(name))
      expect(others).toHaveLength(rules.length - whole.length)
      await expectByCodePoint('varchar(255) collate ci', others)
    })
    return
  }

  it('shows as true what rules take for true, and as false what they take for false', async () => {
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
    const shown = data.map((entry) => entry['hidden'])
    const where = (wanted: (hidden: unknown) => boolean): readonly number[] =>
      shown.flatMap((hidden, number) => (wanted(hidden) ? [number] : []))
    expect(shown).toEqual([false, true, null, null, null])
    expect(await numbersFor(router, 'isTrue')).toEqual(where((hidden) => hidden === true))
    expect(await numbersFor(router, 'isFalse')).toEqual(where((hidden) => hidden === false))
    // What is there, and is not true.
    expect(await numbersFor(router, 'isNotTrue')).toEqual([0, 2, 3])
  })
})

const unlike = {
  mariadb: { hidden: [`enum('0', '1')`, 'bit(1)'], text: ['uuid'] },
  mysql: { hidden: [`enum('0', '1')`, 'bit(1)'], text: [] },
  postgres: { hidden: ['bit(1)'], text: ['uuid'] },
} as const

describeOn(['mariadb', 'mysql', 'postgres'])('columns of %s whose values are not the attribute’s', (name) => {
  const { hidden, text } = unlike[name]
  const cases = [...hidden.map((type) => ['hidden', type]), ...text.map((type) => ['text', type])] as const
  const world = testDatabase(name).fresh()

  it.each(cases)('are refused by ready(), as none of them is found: %s %s', async (column, type) => {
    await migrate(configOf(world))
    await world.knex.raw('alter table notes drop column ??', [column])
    await world.knex.raw(`alter table notes add column ?? ${type}`, [column])
    const router = world.closing(contentRouter({ ...configOf(world), permissions: ofTexts }))
    await expect(router.ready()).rejects.toThrow(`notes.${column}: a `)
    await world.knex.raw('drop table notes')
  })
})

describeOn(['mariadb', 'mysql'])('connections to %s that are set otherwise', (name) => {
  const world = testDatabase(name).fresh()
  const signs = ['😀', '?', 'é', 'open', ''] as const
  const modes = name === 'mariadb' ? [`set sql_mode = 'EMPTY_STRING_IS_NULL'`] : []
  const sessions = [
    'set names utf8mb3',
    'set character_set_connection = latin1',
    'set collation_connection = latin1_swedish_ci',
    ...modes,
  ]

  async function expectKept(database: Knex | Knex.Config): Promise<void> {
    await migrate(configOf(world))
    await world.knex('notes').delete()
    await seed(configOf(world), { note: signs.map((text, number) => ({ text, number })) })
    const permissions = {
      is: grant({ text: { $asker: 'of' } }),
      isNot: grant({ text: { $ne: { $asker: 'of' } } }),
      isNoSmile: grant({ text: { $notIn: ['😀', ''] } }),
    }
    const router = world.closing(contentRouter({ ...configOf(world), database, permissions }))
    await router.ready()
    for (const [number, of] of signs.entries()) {
      const others = [...signs.keys()].filter((other) => other !== number)
      const found = [await numbersFor(router, 'is', of), await numbersFor(router, 'isNot', of)]
      expect([of, ...found]).toEqual([of, [number], others])
    }
    expect(await numbersFor(router, 'isNoSmile')).toEqual([1, 2, 3])
  }

  it.each(['utf8', 'latin1', 'ascii', 'UTF8_GENERAL_CI'])(
    'to %s: what is asked for stays what it is',
    (charset) =>
      expectKept({ ...world.config, connection: { ...(world.config.connection as object), charset } }),
  )

  it.each(sessions)('by the owner of the pool: %s', async (statement) => {
    const config = { ...world.config, pool: { afterCreate: saying(statement) } }
    await expectKept(config)
    const instance = makeKnex(config)
    await expectKept(instance)
    await instance.destroy()
  })
})

const inexact = 'What these columns show is not what is compared, in filters and in rules'

describeOn(['mariadb', 'mysql'])('columns of %s that show fewer digits than they have', (name) => {
  const world = testDatabase(name).fresh()

  it.each([
    ['float', [inexact]],
    ['float(7, 3) unsigned', [inexact]],
    ['double', []],
  ])('are warned of: %s', async (type, expected) => {
    await migrate(configOf(world))
    await world.knex.raw(`alter table notes modify share ${type}`)
    const { warnings, logger } = keeping()
    const router = world.closing(contentRouter({ ...configOf(world), permissions: ofTexts, logger }))
    await router.ready()
    expect(warnings.filter((warning) => warning === inexact)).toEqual(expected)
    await world.knex.raw('drop table notes')
  })
})

describeOn(['postgres'])('columns of %s in which what differs is equal', (name) => {
  const world = testDatabase(name).fresh()

  it.each(['varchar(255) collate folding', 'char(10)', 'shorter'])('are warned of: %s', async (type) => {
    await migrate(configOf(world))
    await world.knex.raw(
      `create collation if not exists folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
    )
    if (type === 'shorter')
      await world.knex.raw('create domain short as char(10); create domain shorter as short')
    await world.knex.raw(`alter table notes alter text type ${type}`)
    const { warnings, logger } = keeping()
    const router = world.closing(contentRouter({ ...configOf(world), permissions: ofTexts, logger }))
    await router.ready()
    expect(warnings).toContain(inexact)
    await world.knex.raw('drop table notes')
  })
})
