import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { writeTwin } from '../../beside/project'

describe('the app that is made of a project', () => {
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

  it('has the definitions and core routes, and nothing that the project runs', () => {
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

  it('is without relations to types of plugins, and says so', () => {
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

  it('has a plugin for each custom field, and says which are guessed', () => {
    writePost({
      color: { type: 'customField', customField: 'plugin::color-picker.color' },
      mood: { type: 'customField', customField: 'plugin::moods.mood' },
    })
    const { folder, notes } = twin()
    expect(existsSync(join(folder, 'src/plugins/color-picker/strapi-server.js'))).toBe(true)
    expect(notes).toEqual(['plugin::moods.mood is taken for a string'])
  })

  it('is not made of what is no JSON, which is named', () => {
    write('api/blog/content-types/post/schema.json', '{')
    expect(twin).toThrow('schema.json cannot be read as JSON')
  })

  it('is not made of a folder without definitions', () => {
    mkdirSync(join(home, 'project'))
    expect(twin).toThrow('holds no api/')
  })
})
