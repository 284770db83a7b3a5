import express from 'express'
import { join } from 'node:path'
import request from 'supertest'
import { contentRouter, type ContentRouterConfig, migrate, seed, strapi5 } from '../../lib'
import { runCommand } from '../../lib/command/run'
import { readProjectCode } from '../../lib/project'
import { readSchema } from '../../lib/schema'
import { eachDatabase } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { projectFolder } from '../support/project-folder'

const schemaOf = (name: string, attributes: object): string =>
  JSON.stringify({ ...collection(name, attributes as never), collectionName: `${name}s` })

const router = (uid: string, more = ''): string => `import { factories } from '@strapi/strapi';
export default factories.createCoreRouter('${uid}'${more});
`
const uid = 'api::note.note'

/** What stands in one file, and what it may do to those who read notes: nothing, change what they see, or refuse them. */
const routers: readonly (readonly [string, string, string])[] = [
  ['nothing', 'the generated router of TypeScript', router(uid)],
  [
    'nothing',
    'the generated router of JavaScript',
    `'use strict';

/**
 * note router
 */

const { createCoreRouter } = require('@strapi/strapi').factories;

module.exports = createCoreRouter('${uid}');
`,
  ],
  ['nothing', 'an empty file', ''],
  ['nothing', 'no options', router(uid, ', {}')],
  [
    'nothing',
    'policies of writes alone',
    router(uid, `, { config: { create: { policies: ['is-owner'] }, delete: {} } }`),
  ],
  ['nothing', 'all that reads', router(uid, `, { only: ['find', 'findOne'] } as const`)],
  ['more', 'a middleware', router(uid, `, { config: { find: { middlewares: ['api::note.populate'] } } }`)],
  ['more', 'no authentication', router(uid, `, { config: { findOne: { auth: false, policies: [] } } }`)],
  ['more', 'another prefix', router(uid, `, { prefix: '/v2' }`)],
  ['guards', 'a policy', router(uid, `, { config: { find: { policies: ['is-owner'] } } }`)],
  [
    'guards',
    'a policy that is a function',
    router(uid, `, { config: { findOne: { policies: [(ctx) => { if (x) { return /}/.test(x) } }] } } }`),
  ],
  [
    'guards',
    'a policy by a name of its own',
    `import { factories } from '@strapi/strapi'
const policies: string[] = ['a']
const config = { find: { policies } }
export default factories.createCoreRouter('${uid}', { config })`,
  ],
  [
    'nothing',
    'values of its own that only running it would tell',
    `const hidden = /[}'"]\\/{2}/i\nconst started = new Date()\n${router(uid)}`,
  ],
  [
    'nothing',
    'options of a function that stands behind it',
    `${router(uid, ', options()')}\nfunction options(): object { return { only: ['find', 'findOne'] } }`,
  ],
  [
    'guards',
    'a policy that is set inside of another value',
    `const config: any = { find: {} }
const set = { policies: (config.find = { policies: ['is-owner'] }) }
${router(uid, ', { config }')}`,
  ],
  [
    'guards',
    'other routes than those that it had set before',
    `module.exports = { routes: [] }
module.exports = { routes: [{ method: 'GET', path: '/notes', handler: 'note.all', config: { policies: ['x'] } }] }`,
  ],
  ['guards', 'no list', router(uid, `, { except: ['find'] }`)],
  ['guards', 'no entry', router(uid, `, { only: ['find'] }`)],
  ['guards', 'what is spread from elsewhere', router(uid, `, { ...options }`)],
  ['guards', 'options of another file', `import o from './o'\n${router(uid, ', o')}`],
  ['guards', 'a policy for reads that is worked out', router(uid, `, { config: { [read]: { policies } } }`)],
  ['guards', 'a router of another file', `module.exports = require('../../shared/router')('${uid}')`],
  ['guards', 'a text that cannot be read and names policies', `export default (((policies`],
  [
    'more',
    'routes of its own',
    `module.exports = { routes: [{ method: 'GET', path: '/notes/:id/likes', handler: 'note.likes', config: { policies: ['x'] } }] }`,
  ],
  [
    'guards',
    'a route of its own before that of an entry',
    `export default { routes: [{ method: 'GET', path: '/notes/:slug', handler: 'note.bySlug', config: { policies: ['x'] } }] }`,
  ],
  ...['/Notes', '/notes/', '/:any', '/(note|x)s', '/notes(.*)', '/notes/:id?', '/:any/:id'].map(
    (path): readonly [string, string, string] => [
      'guards',
      `a route of its own that may answer in their place, ${path}`,
      `export default { routes: [{ method: 'GET', path: '${path}', handler: 'note.x', config: { policies: ['x'] } }] }`,
    ],
  ),
  [
    'guards',
    'a route of its own below a prefix',
    `export default { prefix: '/notes', routes: [{ method: 'GET', path: '/', handler: 'note.x', config: { policies: ['x'] } }] }`,
  ],
  ...['/notes/featured', '/other/:id', '/notes/:id/likes'].map((path): readonly [string, string, string] => [
    'more',
    `a route of its own elsewhere, ${path}`,
    `export default { routes: [{ method: 'GET', path: '${path}', handler: 'note.x', config: { policies: ['x'] } }] }`,
  ]),
  [
    'more',
    'the same without policies',
    `export default { routes: [{ method: 'GET', path: '/notes/:slug', handler: 'note.bySlug' }] }`,
  ],
  [
    'more',
    'a router that is wrapped by hand',
    `const { createCoreRouter } = require('@strapi/strapi').factories
const inner = createCoreRouter('${uid}')
let routes
module.exports = { get routes() { routes = routes ?? inner.routes; return routes } }`,
  ],
]

const others: readonly (readonly [string, string, string])[] = [
  [
    'nothing',
    'controllers/note.ts',
    `import { factories } from '@strapi/strapi'\n\nexport default factories.createCoreController('${uid}');`,
  ],
  [
    'more',
    'controllers/note.ts',
    `import { factories } from '@strapi/strapi'
export default factories.createCoreController('${uid}', ({ strapi }) => ({ async find(ctx) { return super.find(ctx) } }))`,
  ],
  ['more', 'controllers/other.js', 'module.exports = { like(ctx) { ctx.body = 1 } }'],
  [
    'nothing',
    'services/note.js',
    `const { createCoreService } = require('@strapi/strapi').factories
module.exports = createCoreService('${uid}', ({ strapi }) => ({ async tell(note) { await strapi.tell(note) } }))`,
  ],
  [
    'more',
    'services/note.js',
    `const { createCoreService } = require('@strapi/strapi').factories
module.exports = createCoreService('${uid}', ({ strapi }) => ({ async find(...all) { return super.find(...all) } }))`,
  ],
  ['more', 'policies/is-owner.js', 'module.exports = (ctx) => ctx.state.user != null'],
  ['more', 'middlewares/populate.ts', 'export default () => async (ctx, next) => { await next() }'],
  ['nothing', 'policies/.gitkeep', ''],
  ['nothing', 'middlewares/types.d.ts', 'export type A = 1'],
]

describe('the code beside a definition', () => {
  const { path, write } = projectFolder()
  let count = 0

  function weigh(name: string, code: string): string {
    const folder = `project-${String((count += 1))}`
    const api = `${folder}/src/api/note`
    write({
      [`${api}/content-types/note/schema.json`]: schemaOf('note', { title: text }),
      [`${api}/${name}`]: code,
    })
    const [told] = readProjectCode(readSchema(join(path, folder, 'src')))
    if (told === undefined) return 'nothing'
    expect(told).toMatchObject({ uid, files: [name] })
    return told.guards ? 'guards' : 'more'
  }

  it.each(routers)('weighs as %s a file of routes with %s', (weight, _what, code) => {
    expect(weigh('routes/note.ts', code)).toBe(weight)
  })

  it.each(others)('weighs as %s the file %s', (weight, name, code) => {
    expect(weigh(name, code)).toBe(weight)
  })

  it('belongs to the type that its file is named after, or whose router it makes', () => {
    const api = 'several/src/api/note'
    const types = ['note', 'label'].map((name): [string, string] => [
      `${api}/content-types/${name}/schema.json`,
      schemaOf(name, { title: text }),
    ])
    write({
      ...Object.fromEntries(types),
      [`${api}/controllers/label.js`]: 'module.exports = { find() { return [] } }',
      [`${api}/routes/core.js`]: `module.exports = require('@strapi/strapi').factories.createCoreRouter('${uid}', { prefix: '/v2' })`,
      [`${api}/policies/late.js`]: 'module.exports = () => true',
    })
    const told = readProjectCode(readSchema(join(path, 'several')))
    expect(new Map(told.map((one) => [one.uid, one.files]))).toEqual(
      new Map([
        ['api::note.label', ['controllers/label.js', 'policies/late.js']],
        [uid, ['routes/core.js', 'policies/late.js']],
      ]),
    )
  })
})

eachDatabase((database) => {
  const world = database.fresh()
  const { path, write } = projectFolder({
    'src/api/note/content-types/note/schema.json': schemaOf('note', {
      title: text,
      page: relation('manyToOne', 'api::page.page'),
    }),
    'src/api/note/routes/note.ts': router(uid),
    'src/api/page/content-types/page/schema.json': schemaOf('page', { title: text }),
    'src/api/page/routes/page.ts': router('api::page.page', `, { config: { find: { middlewares: ['x'] } } }`),
    'src/api/secret/content-types/secret/schema.json': schemaOf('secret', {
      title: text,
      note: relation('manyToOne', 'api::note.note'),
    }),
    'src/api/secret/routes/secret.ts': router(
      'api::secret.secret',
      `, { config: { find: { policies: ['x'] } } }`,
    ),
    'src/api/late/content-types/late/schema.json': schemaOf('late', {
      secret: relation('manyToOne', 'api::secret.secret'),
    }),
  })
  const contentTypes = join(path, 'src')

  beforeAll(async () => {
    const config = { ...strapi5, contentTypes, database: world.config }
    await migrate(config)
    await seed(config, {
      page: [{ $ref: 'p', title: 'Page' }],
      note: [{ $ref: 'n', title: 'Note', page: 'p' }],
      secret: [{ $ref: 's', title: 'Secret', note: 'n' }],
      late: [{ secret: 's' }],
    })
  }, 60_000)

  function serve(options: Partial<ContentRouterConfig> = {}) {
    const warned: { readonly facts: object; readonly message: string }[] = []
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: (facts: object, message: string) => warned.push({ facts, message }),
      error: () => undefined,
    }
    const content = world.closing(
      contentRouter({
        ...strapi5,
        contentTypes,
        database: world.config,
        permissions: { public: { find: '*' } },
        index: true,
        logger,
        ...options,
      }),
    )
    const app = express().use('/api', content)
    const status = async (name: string): Promise<number> => (await request(app).get(`/api/${name}`)).status
    return { app, warned, status }
  }

  it('names each type with code in one warning, and does not serve those whose routes hold policies', async () => {
    const { warned, status } = serve()
    expect(warned).toHaveLength(1)
    expect(warned[0]?.facts).toMatchObject({
      code: ['api::page.page: routes/page.ts', 'api::secret.secret: routes/secret.ts (may refuse who asks)'],
      notServed: ['api::secret.secret'],
    })
    expect(await Promise.all(['notes', 'pages', 'secrets', 'secrets/any'].map(status))).toEqual([
      200, 200, 403, 403,
    ])
  })

  it('answers for such a type as for one without permission, and does not list it', async () => {
    const { app } = serve()
    const forbidden = await request(serve({ permissions: { public: { find: ['note'] } } }).app).get(
      '/api/pages',
    )
    const withheld = await request(app).get('/api/secrets?filters[nothing]=1')
    expect(withheld.text).toBe(forbidden.text)
    const listed = await request(app).get('/api')
    const body = listed.body as { readonly data: readonly { readonly uid: string }[] }
    expect(body.data.map((one) => one.uid).sort()).toEqual([
      'api::late.late',
      'api::note.note',
      'api::page.page',
    ])
  })

  // A policy stands on a route, and Strapi asks none of those that others are populated by.
  it('shows it where others lead to it, as Strapi does', async () => {
    const shown = await request(serve().app).get('/api/lates?populate=secret')
    expect(shown.body).toMatchObject({ data: [{ secret: { title: 'Secret' } }] })
  })

  it('serves what the host says, and warns no more of it', async () => {
    const { warned, status } = serve({ projectCode: { serve: ['secret'] } })
    expect(await status('secrets')).toBe(200)
    expect(warned.map(({ facts }) => facts)).toMatchObject([
      { code: ['api::page.page: routes/page.ts'], notServed: [] },
    ])
    expect(serve({ projectCode: { serve: ['secret', 'api::page.page'] } }).warned).toEqual([])
  })

  it('withholds all types that have code of their own, or none, as the option says', async () => {
    const all = serve({ projectCode: { withhold: 'all' } })
    expect(await Promise.all(['notes', 'pages', 'secrets'].map(all.status))).toEqual([200, 403, 403])
    const none = serve({ projectCode: { withhold: 'none' } })
    expect(await Promise.all(['notes', 'pages', 'secrets'].map(none.status))).toEqual([200, 200, 200])
    expect(none.warned).toHaveLength(1)
  })

  it('refuses a name of no type', () => {
    expect(() => serve({ projectCode: { serve: ['secrte'] } })).toThrow(
      'projectCode.serve: there is no type secrte (did you mean secret?)',
    )
  })

  it('lists the code in content-router check', async () => {
    const printed: string[] = []
    write({
      'router.cjs': `module.exports = ${JSON.stringify({ ...strapi5, contentTypes, database: world.config })}`,
    })
    const code = await runCommand(['check', '--config', join(path, 'router.cjs')], {
      print: (line) => printed.push(line),
      complain: (line) => printed.push(line),
    })
    expect(printed).toEqual([
      'The project runs code of its own where these types are read, and the router does not:',
      '  api::page.page: routes/page.ts',
      '  api::secret.secret: routes/secret.ts (may refuse who asks)',
      'The tables hold what the definitions ask for.',
    ])
    expect(code).toBe(0)
  })
})
