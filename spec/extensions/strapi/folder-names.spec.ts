import { join } from 'node:path'
import express from 'express'
import request from 'supertest'
import { loadProjectCode, strapi5 } from '../../../extensions/strapi'
import { ConfigError, contentRouter, migrate } from '../../../lib'
import { seed } from '../../../extensions/seed'
import { readSchema } from '../../../lib/schema'
import { onSqlite } from '../../support/databases'
import { collection, relation, text } from '../../support/library'
import { folderOf, type } from '../../meaning/definitions'

// Strapi 5 (core, loaders/apis and registries/content-types) calls an API and a type what lodash's kebabCase makes of
// their folders, unless that is kebab-case already.
const place = (api: string, folder: string): string => `src/api/${api}/content-types/${folder}/schema.json`

const own = (folder: string) => {
  const warned: object[] = []
  const schema = readSchema(join(folder, 'src'), { warn: (facts) => warned.push(facts) })
  const uids = [...schema.models.keys()].filter((uid) => uid.startsWith('api::'))
  return { warned, uids }
}

const refusal = (files: Readonly<Record<string, unknown>>): string => {
  const contentTypes = join(folderOf(files), 'src')
  try {
    contentRouter({ extensions: [strapi5()], contentTypes, database: { client: 'pg', connection: {} } })
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

it.each([
  ['blog_posts', 'post', 'post', 'api::blog-posts.post'],
  ['blogPosts', 'post', 'post', 'api::blog-posts.post'],
  ['Blog Posts', 'post', 'post', 'api::blog-posts.post'],
  ['blogPosts2', 'post', 'post', 'api::blog-posts-2.post'],
  ['posts2', 'post2', 'post2', 'api::posts2.post2'],
  ['Añada', 'post', 'post', 'api::anada.post'],
  ['HTMLPages', 'post', 'post', 'api::html-pages.post'],
  ['blog', 'blog_post', 'blog-post', 'api::blog.blog-post'],
  ['blog', 'BlogPost', 'blog-post', 'api::blog.blog-post'],
])('calls what lies in %s/content-types/%s as Strapi does', (api, folder, name, uid) => {
  expect(own(folderOf({ [place(api, folder)]: type(name, {}) })).uids).toEqual([uid])
})

it('takes any folder for a type outside the folders of a project', () => {
  const folder = folderOf({ 'src/types/posts/schema.json': type('post', {}) })
  expect(own(folder).uids).toEqual(['api::post.post'])
})

describe('a project that has no type yet', () => {
  const files = { 'src/api/.gitkeep': '', 'src/index.js': '' }

  it('starts, as with Strapi, and is warned of', () => {
    const folder = folderOf(files)
    const { uids, warned } = own(folder)
    expect(uids).toEqual([])
    expect(warned).toMatchObject([
      { where: join(folder, 'src'), problem: 'the folder contains no definitions' },
    ])
  })

  it('is refused if it is no folder of a project', () => {
    expect(() => own(folderOf({ 'src/index.js': '' }))).toThrow('the folder contains no definitions')
  })
})

it('refuses a type that two folders define', () => {
  const files = { [place('tag', 'Label')]: type('label', {}), [place('tag', 'label')]: type('label', {}) }
  expect(refusal(files)).toContain('two definitions have the uid api::tag.label')
})

describe.each(['schema.js', 'schema.ts'])('a type that is written in %s', (file) => {
  const files = {
    [place('tag', 'tag')]: type('tag', {}),
    [`src/api/tag/content-types/label/${file}`]: 'module.exports = {}',
  }

  it('is told of, and left out', () => {
    const folder = folderOf(files)
    const { uids, warned } = own(folder)
    expect(uids).toEqual(['api::tag.tag'])
    const where = join(folder, 'src/api/tag/content-types/label')
    const problem = `the router reads only JSON definitions, and does not run ${file}`
    expect(warned).toEqual([{ where, problem, remedy: 'write the definition as JSON in a file schema.json' }])
  })
})

onSqlite((database) => {
  const world = database.fresh()

  it('serves what lies in such folders, through its relations and by its own routes', async () => {
    const router = (uid: string): string =>
      `module.exports = require('@strapi/strapi').factories.createCoreRouter('${uid}')`
    const folder = folderOf({
      [place('blog_posts', 'BlogPost')]: collection('blog-post', {
        title: text,
        next: relation('oneToOne', 'api::blog-posts.blog-post'),
      }),
      'src/api/blog_posts/routes/BlogPost.js': router('api::blog-posts.blog-post'),
      'src/api/blog_posts/controllers/BlogPost.js':
        "module.exports = require('@strapi/strapi').factories.createCoreController('api::blog-posts.blog-post')",
      [place('blog_posts', 'label')]: collection('label', { title: text }),
      'src/api/blog_posts/routes/label.js': router('api::blog-posts.label'),
      'src/api/blog_posts/controllers/Label.js': 'module.exports = {}',
    })
    const contentTypes = join(folder, 'src')
    const config = {
      ...{ extensions: [strapi5()], contentTypes, database: world.config, logger: false as const },
      permissions: { public: { find: '*' } },
    } as const
    await migrate(config)
    await seed(config, {
      'blog-post': [
        { $ref: 'b', title: 'B' },
        { title: 'A', next: 'b' },
      ],
    })
    const app = express().use('/api', world.closing(contentRouter(config)))
    const posts = await request(app).get('/api/blog-posts?populate=next&sort=title').expect(200)
    expect(posts.body).toMatchObject({
      data: [
        { title: 'A', next: { title: 'B' } },
        { title: 'B', next: null },
      ],
    })
    expect(loadProjectCode(readSchema(contentTypes)).types).toMatchObject([
      {
        uid: 'api::blog-posts.label',
        reasons: [expect.stringContaining('src/api/blog_posts/controllers/Label.js: the file defines find')],
      },
    ])
  })
})
