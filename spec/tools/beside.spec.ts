import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { writeTwin } from '../../lab/beside/project'
import { type Duel, reasonOf } from '../../lab/beside/reasons'
import { storeOf } from '../../lab/beside/world'
import type { Definition } from '../support/oracle-content'

describe('the Strapi app made of a project', () => {
  let home = ''
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'content-router-beside-'))
  })
  afterEach(() => {
    rmSync(home, { recursive: true })
  })

  function write(path: string, content: object | string): void {
    const file = join(home, 'project', 'src', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }

  const twin = () =>
    writeTwin(join(home, 'project'), {
      ...{ folder: join(home, 'app'), name: 'sqlite' },
      database: { client: 'better-sqlite3', connection: { filename: join(home, 'data.db') } },
    })

  const writePost = (attributes: object): void => {
    write('api/blog/content-types/post/schema.json', { info: { singularName: 'post' }, attributes })
  }

  it('has the definitions and core routes, without the code of the project', () => {
    writePost({ title: { type: 'string' } })
    write('api/blog/controllers/post.js', 'throw new Error()')
    write('components/shared/seo.json', { attributes: {} })
    const { folder, notes } = twin()
    expect(readFileSync(join(folder, 'src/api/blog/controllers/post.js'), 'utf8')).toContain(
      "createCoreController('api::blog.post')",
    )
    expect(existsSync(join(folder, 'src/components/shared/seo.json'))).toBe(true)
    expect(notes).toEqual([])
  })

  it('lacks relations to types of plugins, with a note', () => {
    writePost({
      menu: { type: 'relation', relation: 'oneToOne', target: 'plugin::menus.menu' },
      editor: { type: 'relation', relation: 'oneToOne', target: 'admin::user' },
    })
    const { folder, notes } = twin()
    const file = join(folder, 'src/api/blog/content-types/post/schema.json')
    expect(
      Object.keys((JSON.parse(readFileSync(file, 'utf8')) as { attributes: object }).attributes),
    ).toEqual(['editor'])
    expect(notes).toEqual([expect.stringContaining('menu is left out')])
  })

  it('has a plugin for each custom field, with a note for unknown ones', () => {
    writePost({
      color: { type: 'customField', customField: 'plugin::color-picker.color' },
      mood: { type: 'customField', customField: 'plugin::moods.mood' },
    })
    const { folder, notes } = twin()
    expect(existsSync(join(folder, 'src/plugins/color-picker/strapi-server.js'))).toBe(true)
    expect(notes).toEqual(['plugin::moods.mood is taken for a string'])
  })

  it('is not made of invalid JSON', () => {
    write('api/blog/content-types/post/schema.json', '{')
    expect(twin).toThrow('schema.json cannot be read as JSON')
  })

  it('is not made of a folder without definitions', () => {
    mkdirSync(join(home, 'project'))
    expect(twin).toThrow('holds no api/')
  })
})

const topic: Definition = {
  uid: 'api::topic.topic',
  kind: 'collectionType',
  collectionName: 'topics',
  info: { singularName: 'topic', pluralName: 'topics' },
  options: { draftAndPublish: true },
  pluginOptions: { i18n: { localized: false } },
  attributes: {
    name: { type: 'string' },
    parent: { type: 'relation', relation: 'manyToOne', target: 'api::topic.topic' },
    above: { type: 'relation', relation: 'manyToOne', target: 'api::topic.topic', inversedBy: 'children' },
    children: { type: 'relation', relation: 'oneToMany', target: 'api::topic.topic', mappedBy: 'above' },
    orphans: { type: 'relation', relation: 'oneToMany', target: 'api::topic.topic', mappedBy: 'parent' },
  },
}
const store = storeOf({ types: [topic], rows: {} })

const body = (...ids: number[]): object => ({ data: ids.map((id) => ({ id })), meta: {} })
const failed = (status: number, message = ''): Duel['strapi'] => ({
  status,
  body: { data: null, error: { status, name: 'ValidationError', message } },
})

const duel = (strapi: object, router: object, asked: Partial<Duel> = {}): Duel =>
  ({
    path: 'topics?',
    request: { style: 'indexes', dotted: false },
    strapi: 'status' in strapi ? strapi : { status: 200, body: strapi },
    router: 'status' in router ? router : { status: 200, body: router },
    ...asked,
  }) as Duel

const nameOf = (one: Duel): string | undefined => reasonOf(one, store)?.name

describe('the reason for a difference between Strapi and the router', () => {
  it('is missing if bodies are equal, or both reject the request', () => {
    expect(nameOf(duel(body(1, 2), body(1, 2)))).toBeUndefined()
    expect(nameOf(duel(failed(400, 'one'), failed(400, 'other')))).toBeUndefined()
  })

  it('is the router if it fails', () => {
    for (const strapi of [body(1), failed(500)])
      expect(nameOf(duel(strapi, failed(500)))).toBe('the router answers with a 5xx')
  })

  it('is Strapi if it fails alone', () => {
    expect(nameOf(duel(failed(500), body(1)))).toBe('Strapi answers with a 5xx, or not in time')
  })

  it('is the status only if a condition leads to a type with drafts', () => {
    const filters = { at: 'parent', of: { at: 'name', of: { operator: '$eq', value: 'x' } } }
    const through = { request: { style: 'indexes', dotted: false, filters } } as const
    expect(nameOf(duel(body(1, 2), body(1), through))).toBe(
      'one status in conditions and sorts through relations',
    )
    expect(nameOf(duel(body(1, 2), body(1)))).toBe('not in docs/concepts/differences-from-strapi.md')
  })

  it('is the comparison by value only for $eqi or $nei on a date, a number or a boolean', () => {
    const asked = (at: string, operator: string): Partial<Duel> => {
      const filters = { not: { at, of: { operator, value: 'x' } } }
      const populate = [{ name: 'parent', ask: { filters } }]
      return { request: { style: 'indexes', dotted: false, populate } }
    }
    const byValue = '$eqi and $nei compare dates, numbers and booleans by value'
    for (const operator of ['$eqi', '$nei'])
      expect(nameOf(duel(body(1, 2), body(1), asked('createdAt', operator)))).toBe(byValue)
    for (const [at, operator] of [
      ['createdAt', '$eq'],
      ['name', '$eqi'],
    ] as const)
      expect(nameOf(duel(body(1, 2), body(1), asked(at, operator)))).toBe(
        'not in docs/concepts/differences-from-strapi.md',
      )
    expect(nameOf(duel(body(1), failed(400), asked('createdAt', '$eqi')))).toBe(
      'not in docs/concepts/differences-from-strapi.md',
    )
  })

  it('is the missing relation only if no relation leads back to it', () => {
    const refused = (key: string): Duel['strapi'] => ({
      status: 400,
      body: { data: null, error: { status: 400, name: 'ValidationError', details: { key } } },
    })
    const known = 'conditions and sorts by a relation that is left out'
    expect(nameOf(duel(body(1), refused('orphans')))).toBe(known)
    for (const key of ['children', 'name']) expect(nameOf(duel(body(1), refused(key)))).not.toBe(known)
  })

  it('is the private name only if it stands among others', () => {
    const details = { key: 'createdBy' }
    const refused = { status: 400, body: { error: { status: 400, name: 'ValidationError', details } } }
    const asked = (path: string) => nameOf(duel(body(1), refused, { path }))
    expect(asked('topics?populate=createdBy%2Cparent')).toBe(
      'a private name among others behind one populate=',
    )
    expect(asked('topics?populate=createdBy')).toBe('not in docs/concepts/differences-from-strapi.md')
  })

  it('is never the order', () => {
    expect(nameOf(duel(body(1, 2), body(2, 1)))).toBe('not in docs/concepts/differences-from-strapi.md')
  })
})
