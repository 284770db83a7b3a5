import { join } from 'node:path'
import { knex as makeKnex } from 'knex'
import { migrate } from '../../lib'
import { runCommand } from '../../lib/command/run'
import { orderTypes } from '../support/orders'
import { projectFolder } from '../support/project-folder'

describe('content-router check --role', () => {
  const { path, write } = projectFolder({})
  const database = { client: 'better-sqlite3', connection: { filename: join(path, 'data.db') } }
  const config = (permissions: unknown, drafts = 'granted'): string =>
    `module.exports = { contentTypes: ${JSON.stringify(orderTypes)}, database: ${JSON.stringify(database)}, permissions: ${String(permissions)}, drafts: '${drafts}' }`
  const table = JSON.stringify({
    member: {
      find: { item: true, order: { where: { customer: { id: { $asker: 'id' } } } } },
      findOne: { item: true, order: { fields: ['number', 'total'] } },
      drafts: ['review'],
    },
  })

  beforeAll(() => migrate({ contentTypes: orderTypes, database }))

  async function check(permissions: unknown, role: string, drafts?: string): Promise<readonly string[]> {
    const file = `config${String(Math.random()).slice(2)}.cjs`
    write({ [file]: config(permissions, drafts) })
    const printed: string[] = []
    const print = (text: string): unknown => printed.push(text)
    const code = await runCommand(['check', '--config', join(path, file), '--role', role], {
      print,
      complain: print,
    })
    return [`exit ${String(code)}`, ...printed.join('\n').split('\n')]
  }

  it('lists the types and rows that the role may read', async () => {
    expect(await check(table, 'member')).toEqual([
      'exit 0',
      'The role member may see:',
      '  type                find                                       findOne               drafts',
      '  api::order.order    where {"customer":{"id":{"$asker":"id"}}}  fields number, total  -',
      '  api::item.item      all                                        all                   -',
      '  api::review.review  -                                          -                     all',
      'The tables hold what the definitions ask for.',
    ])
  })

  it('lists drafts for every role that may find the type, if drafts are open', async () => {
    const narrow = JSON.stringify({
      reader: { find: { review: { where: { text: 'fine' } }, item: true } },
      narrowed: { find: ['review'], drafts: { review: { fields: ['text'] } } },
      writer: { find: [], drafts: ['review'] },
    })
    const shown = async (role: string): Promise<unknown> => (await check(narrow, role, 'open')).slice(2, -1)
    expect(await shown('reader')).toEqual([
      '  type                find                   findOne                drafts',
      '  api::item.item      all                    all                    -',
      '  api::review.review  where {"text":"fine"}  where {"text":"fine"}  as find',
    ])
    expect(await shown('narrowed')).toEqual([
      '  type                find  findOne  drafts',
      '  api::review.review  all   all      fields text',
    ])
    expect(await shown('writer')).toEqual([
      '  type                find  findOne  drafts',
      '  api::review.review  -     -        all',
    ])
  })

  it('lists files for a role that may find them, and says that a role is limited to named queries', async () => {
    const named = JSON.stringify({ lister: { find: ['plugin::upload.file'], queries: 'named' } })
    expect((await check(named, 'lister')).slice(1, -1)).toEqual([
      'The role lister may see, by named queries alone:',
      '  type                 find  findOne  drafts',
      '  plugin::upload.file  all   all      -',
    ])
  })

  it('says that an unknown role may see nothing', async () => {
    expect(await check(table, 'guest')).toContain('The role guest may see nothing.')
  })

  it('says that a function is called for each request', async () => {
    expect(await check('() => true', 'member')).toContain(
      'What a function or the database grants is asked at each request: no table holds it.',
    )
  })

  it('warns of a rule on a table that is not transactional', async () => {
    const knex = makeKnex({ ...database, useNullAsDefault: true })
    const { sql } = (await knex('sqlite_master').where({ name: 'reviews' }).first()) as { sql: string }
    const columns = Object.keys(await knex('reviews').columnInfo())
    await knex.raw('drop table reviews')
    await knex.raw(`create virtual table reviews using fts5(${columns.join(', ')})`)
    const printed = (await check(table, 'member')).join('\n')
    expect(printed).toMatch(
      /an entry that a commit hides may be shown with .*roles: .*member.*tables: .*reviews/,
    )
    await knex.raw('drop table reviews')
    await knex.raw(sql)
    await knex.destroy()
    expect((await check(table, 'member')).join('\n')).not.toContain('an entry that a commit hides')
  })

  it('fails if a rule is invalid', async () => {
    const [exit, ...printed] = await check(
      `{ member: { find: { order: { where: { nope: 1 } } } } }`,
      'member',
    )
    expect([exit, printed.join('\n')]).toEqual([
      'exit 1',
      expect.stringContaining('permissions.member.find.order.where.nope: Invalid key nope'),
    ])
  })
})
