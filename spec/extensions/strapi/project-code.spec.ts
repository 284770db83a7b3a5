import express from 'express'
import { chmodSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { openapi } from '../../../extensions/openapi'
import { loadProjectCode, strapi5 } from '../../../extensions/strapi'
import { ConfigError, contentRouter, type ContentRouterConfig, migrate } from '../../../lib'
import { seed } from '../../../extensions/seed'
import { runCommand } from '../../../tools/command/run'
import { readSchema } from '../../../lib/schema'
import { onSqlite } from '../../support/databases'
import { collection, relation, text } from '../../support/library'
import { projectFolder } from '../../support/project-folder'

type Files = Readonly<Record<string, string>>

const uid = 'api::note.note'
const schemaOf = (name: string, attributes: object = { title: text }): string =>
  JSON.stringify({ ...collection(name, attributes as never), collectionName: `${name}s` })

const factory = (kind: string, of = uid, more = ''): string => `import { factories } from '@strapi/strapi'
export default factories.createCore${kind}('${of}'${more})
`
const router = (of = uid, more = ''): string => factory('Router', of, more)
const options = (what: string): string => router(uid, `, { ${what} }`)
const own = (path: string, method = 'GET'): string =>
  `export default { routes: [{ method: '${method}', path: '${path}', handler: 'note.own' }] }`

/** What Strapi generates for a type. */
const generated: Files = {
  'note/routes/note.ts': router(),
  'note/controllers/note.ts': factory('Controller'),
  'note/services/note.ts': factory('Service'),
}

describe('a type of a Strapi project', () => {
  const { path, write } = projectFolder()
  let count = 0

  /** Files below `src/api` of a TypeScript project, beside a type of notes. */
  function projectOf(files: Files): string {
    const folder = `project-${String((count += 1))}`
    const all = {
      '../../tsconfig.json': '{}',
      'note/content-types/note/schema.json': schemaOf('note'),
      ...files,
    }
    write(Object.fromEntries(Object.entries(all).map(([name, code]) => [`${folder}/src/api/${name}`, code])))
    return join(path, folder, 'src')
  }

  const codeOf = (files: Files) => loadProjectCode(readSchema(projectOf(files)))
  const reasonsIn = (files: Files, type = uid): readonly string[] =>
    codeOf(files).types.find((found) => found.uid === type)?.reasons ?? []

  it.each<[string, Files]>([
    ['of TypeScript, as generated', {}],
    [
      'of JavaScript, as generated',
      {
        'note/routes/note.ts': `'use strict';

/**
 * note router
 */

const { createCoreRouter } = require('@strapi/strapi').factories;

module.exports = createCoreRouter('${uid}');
`,
      },
    ],
    [
      'that a function makes',
      {
        'note/routes/note.ts': `const { createCoreRouter } = require('@strapi/strapi').factories
module.exports = ({ strapi }) => createCoreRouter('${uid}')`,
      },
    ],
    [
      'imported from a subpath of Strapi',
      { 'note/routes/note.ts': router().replace("strapi'", "strapi/dist/index'") },
    ],
    ['without options', { 'note/routes/note.ts': router(uid, ', {}') }],
    [
      'with policies of writes',
      { 'note/routes/note.ts': options(`config: { create: { policies: ['is-owner'] } }`) },
    ],
    [
      'with nothing set for reads',
      { 'note/routes/note.ts': options(`config: { find: {}, findOne: { policies: [] } }`) },
    ],
    ['with all that reads', { 'note/routes/note.ts': options(`only: ['find', 'findOne']`) }],
    ['without writes', { 'note/routes/note.ts': options(`except: ['create', 'update', 'delete']`) }],
    ['below an empty prefix', { 'note/routes/note.ts': options(`prefix: ''`) }],
    ['beside routes that write', { 'note/routes/own.ts': own('/notes', 'POST') }],
    ['beside a route of no entry', { 'note/routes/own.ts': own('/notes/featured') }],
    ['beside routes below an entry', { 'note/routes/own.ts': own('/notes/:id/likes') }],
    ['beside other paths', { 'all/routes/all.ts': own('/other(.*)') }],
    ['before a pattern of an API that comes later', { 'zone/routes/zone.ts': own('/:slug') }],
    [
      'beside files that Strapi does not load',
      { 'note/routes/note.d.ts': 'export {}', 'note/routes/x.test.ts': 'none()' },
    ],
    [
      'with more actions, and packages that they use',
      {
        'note/controllers/note.ts': `import { factories } from '@strapi/strapi'
import stripe, { errors } from 'stripe'
const { ApplicationError } = require('@strapi/utils').errors
class NoStock extends ApplicationError {}
export default factories.createCoreController('${uid}', ({ strapi }) => ({
  async like(ctx) { strapi.log.info(stripe.version); throw new NoStock(errors) },
  async create(ctx) { return super.create(ctx) },
}))`,
      },
    ],
    [
      'with more methods of its service, from another file',
      {
        'note/services/note.ts': `import { factories } from '@strapi/strapi'
import { tell } from '../lib/tell'
export default factories.createCoreService('${uid}', { tell })`,
        'note/lib/tell.ts': `import axios from 'axios'\nexport const tell = (): unknown => axios.post('/')`,
      },
    ],
    [
      'beside policies and middlewares that no route names',
      { 'note/policies/x.ts': 'none()', 'note/middlewares/x.ts': '' },
    ],
  ])('is served with a router %s', (_what, files) => {
    expect(reasonsIn({ ...generated, ...files })).toEqual([])
  })

  const note = 'src/api/note/routes/note.ts'
  const notOwn = (file: string, route: string): string => `${file}: ${route} is not Strapi’s own route`
  const wrapped = [notOwn(note, 'GET /notes'), notOwn(note, 'GET /notes/:id')]
  it.each<[string, string, readonly string[]]>([
    [
      'policies',
      options(`config: { find: { policies: ['is-owner', { name: 'x' }] } }`),
      [`${note}: find has policies (is-owner, x)`],
    ],
    [
      'a policy that is a function',
      options(`config: { findOne: { policies: [(ctx) => ctx.state.user != null] } }`),
      [`${note}: findOne has policies (a function)`],
    ],
    [
      'a middleware',
      options(`config: { find: { middlewares: ['x'] } }`),
      [`${note}: find has middlewares (x)`],
    ],
    ['no authentication', options(`config: { find: { auth: false } }`), [`${note}: find has auth (false)`]],
    [
      'a scope',
      options(`config: { find: { auth: { scope: ['x'] } } }`),
      [`${note}: find has auth ({"scope":["x"]})`],
    ],
    [
      'inherited policies',
      options(`config: { find: { __proto__: { policies: ['x'] } } }`),
      [`${note}: find has policies (x)`],
    ],
    ['one read alone', options(`only: ['find']`), ['the project has no route for findOne']],
    [
      'the reads left out',
      options(`except: ['find', 'findOne']`),
      ['the project has no route for find and findOne'],
    ],
    ['a prefix', options(`prefix: '/v2'`), ['the project has no route for find and findOne']],
    [
      'the router of another type',
      router('api::page.page'),
      [`${note}: api::page.page is not a content type`],
    ],
    ['no routes', 'export default { routes: [] }', ['the project has no route for find and findOne']],
    ['nothing', '', ['the project has no route for find and findOne']],
    [
      'the same router in its own words',
      `export default { routes: [
  { method: 'GET', path: '/notes', handler: 'note.find' },
  { method: 'GET', path: '/notes/:id', handler: 'note.findOne' },
] }`,
      wrapped,
    ],
    [
      'a wrapped router',
      `const { createCoreRouter } = require('@strapi/strapi').factories
const inner = createCoreRouter('${uid}')
module.exports = { get routes() { return inner.routes.concat({ method: 'POST', path: '/x', handler: 'note.x' }) } }`,
      wrapped,
    ],
    [
      'a policy that is set afterwards',
      `const made = require('@strapi/strapi').factories.createCoreRouter('${uid}')
made.routes[0].config.policies = ['x']
module.exports = made`,
      [`${note}: find has policies (x)`],
    ],
    [
      'a route that is added afterwards',
      `const made = require('@strapi/strapi').factories.createCoreRouter('${uid}')
made.routes.unshift({ method: 'GET', path: '/notes/:slug', handler: 'note.own' })
module.exports = made`,
      [notOwn(note, 'GET /notes/:slug')],
    ],
    [
      'a list of the server',
      `export default [{ method: 'GET', path: '/api/notes', handler: 'x' }]`,
      [`${note}: the routes are outside of the API`],
    ],
    [
      'a condition on the environment',
      options(`config: process.env.X ? { find: { policies: ['x'] } } : {}`),
      [`${note}: process is not defined, line 2`],
    ],
    [
      'a package that it uses',
      `import { routerOf } from 'our-routers'\nexport default routerOf('${uid}')`,
      [`${note}: our-routers.routerOf is not available, line 2`],
    ],
    [
      'options of a package',
      `import config from 'our-policies'\n${options('config')}`,
      [`${note}: our-policies.find is not available`],
    ],
    [
      'spread options of a package',
      `import config from 'our-policies'\n${options('config: { ...config }')}`,
      [`${note}: our-policies is not available, line 3`],
    ],
    ['a timer', `setTimeout(() => undefined)\n${router()}`, [`${note}: setTimeout is not defined`]],
    [
      'text that runs',
      `new Function('return process')()\n${router()}`,
      [`${note}: loading the file fails with EvalError`],
    ],
    ['a syntax error', `export default {{`, [`${note}: the file has a syntax error, line 1`]],
    [
      'a file that is missing',
      `import x from './none'\n${router()}void x`,
      ['src/api/note/routes/none: the file is required, but is missing'],
    ],
  ])('is withheld with a router that has %s', (_what, code, reasons) => {
    const all = reasonsIn({ ...generated, 'note/routes/note.ts': code })
    expect(all.length).toBe(reasons.length)
    all.forEach((reason, at) => {
      expect(reason).toContain(String(reasons[at]))
    })
  })

  it.each<[string, string]>([
    ['/notes/:slug', 'a pattern'],
    ['/notes/:id/:part?', 'an optional part'],
    ['/Notes', 'capitals'],
    [' /notes/', 'blanks'],
    ['/(note|x)s', 'a choice'],
    ['/notes(.*)', 'a beginning'],
    ['/:any', 'any name'],
    ['/:any/:id', 'any name and id'],
  ])('is withheld beside a route of its API that may answer, %s: %s', (path) => {
    const [reason] = reasonsIn({ ...generated, 'note/routes/own.ts': own(path) })
    expect(reason).toMatch(/^src\/api\/note\/routes\/own\.ts: GET \S+ is not Strapi’s own route$/)
  })

  it.each<[string, string]>([
    ['its path', own('/notes')],
    ['a pattern that comes first', own('/:slug')],
    ['its core router', router()],
    ['a file that cannot be loaded and names it', `none()\n// /notes`],
  ])('is withheld where another API routes it: %s', (_what, code) => {
    expect(reasonsIn({ ...generated, 'all/routes/all.ts': code })).not.toEqual([])
  })

  it.each<[string, Files, string]>([
    [
      'controller overrides a read',
      {
        'note/controllers/note.ts': factory(
          'Controller',
          uid,
          ', ({ strapi }) => ({ async find(ctx) { return super.find(ctx) } })',
        ),
      },
      'src/api/note/controllers/note.ts: the file defines find',
    ],
    [
      'controller overrides what reads run through',
      { 'note/controllers/note.ts': factory('Controller', uid, ', { transformResponse: (data) => data }') },
      'src/api/note/controllers/note.ts: the file defines transformResponse',
    ],
    [
      'controller is of another type',
      { 'note/controllers/note.ts': factory('Controller', 'api::page.page') },
      'src/api/note/controllers/note.ts: the file defines find, findOne',
    ],
    [
      'controller is changed afterwards',
      {
        'note/controllers/note.ts': `const make = require('@strapi/strapi').factories.createCoreController('${uid}')
module.exports = (given) => Object.assign(make(given), { findOne() { return null } })`,
      },
      'src/api/note/controllers/note.ts: the file defines findOne',
    ],
    [
      'controller asks Strapi while it is made',
      {
        'note/controllers/note.ts': factory(
          'Controller',
          uid,
          ', ({ strapi }) => strapi.service("x").actions()',
        ),
      },
      'src/api/note/controllers/note.ts: strapi.service is not available, line 2',
    ],
    [
      'service overrides a read',
      { 'note/services/note.ts': factory('Service', uid, ', { async find() { return { results: [] } } }') },
      'src/api/note/services/note.ts: the file defines find',
    ],
    [
      'service is not a core service',
      { 'note/services/note.ts': 'export default { tell() {} }' },
      'src/api/note/services/note.ts: the file defines find, findOne, getFetchParams',
    ],
  ])('is withheld where its %s', (_what, files, reason) => {
    const reasons = reasonsIn({ ...generated, ...files })
    expect(reasons).toHaveLength(1)
    expect(reasons[0]).toContain(reason)
  })

  it('is withheld where its folder has no routes and others have, but not where a folder holds definitions alone', () => {
    const page = {
      'page/content-types/page/schema.json': schemaOf('page'),
      'page/routes/page.ts': router('api::page.page'),
    }
    expect(codeOf(page).types).toEqual([{ uid, reasons: ['the project has no route for find and findOne'] }])
    expect(codeOf({ 'note/routes/.gitkeep': '' })).toEqual({ types: [], elsewhere: [] })
  })

  it('needs no route for an entry if it is a single type', () => {
    const single = schemaOf('home').replace('collectionType', 'singleType')
    const files = { ...generated, 'home/content-types/home/schema.json': single }
    const home = 'api::home.home'
    expect(
      reasonsIn({ ...files, 'home/routes/home.ts': router(home, `, { only: ['find'] }`) }, home),
    ).toEqual([])
    expect(
      reasonsIn({ ...files, 'home/routes/home.ts': router(home, `, { only: ['update'] }`) }, home),
    ).toEqual(['the project has no route for find'])
  })

  it('is withheld where its files or its folder are links, which Strapi passes over', () => {
    const src = projectOf({
      'note/real.ts': router(),
      'note/routes/.gitkeep': '',
      'page/routes/page.ts': router('api::page.page'),
    })
    symlinkSync(join(src, 'api/note/real.ts'), join(src, 'api/note/routes/note.ts'))
    expect(loadProjectCode(readSchema(src)).types).toMatchObject([
      { uid, reasons: ['the project has no route for find and findOne'] },
    ])
    const linked = projectOf({ ...generated, 'page/routes/page.ts': '' })
    renameSync(join(linked, 'api/note'), join(linked, 'note'))
    symlinkSync(join(linked, 'note'), join(linked, 'api/note'))
    expect(loadProjectCode(readSchema(linked)).types).toMatchObject([
      { uid, reasons: ['the project has no route for find and findOne'] },
    ])
  })

  it('is of JavaScript alone in a project that nothing compiles, and of TypeScript where both are there', () => {
    const guarded = options(`config: { find: { policies: ['x'] } }`)
    const both = { 'note/routes/note.ts': router(), 'note/routes/note.js': guarded }
    expect(reasonsIn(both)).toEqual([])
    const src = projectOf(both)
    renameSync(join(src, '../tsconfig.json'), join(src, '../none.json'))
    expect(loadProjectCode(readSchema(src)).types[0]?.reasons).toEqual([
      'src/api/note/routes/note.js: find has policies (x)',
    ])
  })

  it('keeps its code from the globals of this process', () => {
    const hostile = `Array.prototype.map = () => []
Object.prototype.policies = ['x']
globalThis.left = 'behind'`
    expect(reasonsIn({ ...generated, 'note/services/note.ts': `${hostile}\n${factory('Service')}` })).toEqual(
      [],
    )
    expect([
      [1].map((one) => one),
      Object.hasOwn(Object.prototype, 'policies'),
      'left' in globalThis,
    ]).toEqual([[1], false, false])
  })

  it.each([
    ['a promise that rejects', '(async () => { await null; none() })()'],
    ['a promise that loops', 'Promise.resolve().then(() => { for (;;) {} })'],
    ['an asynchronous router', 'export default async () => ({})'],
  ])('is withheld, and the process goes on, where its file makes %s', async (_what, code) => {
    const reasons = reasonsIn({ ...generated, 'note/routes/own.ts': code })
    // Rejections are reported once the microtasks have run.
    await new Promise((resolve) => setImmediate(resolve))
    expect(reasons).toEqual(['src/api/note/routes/own.ts: asynchronous code is not available'])
  })

  it('names files that run at the start and may change routes', () => {
    const { elsewhere } = codeOf({
      ...generated,
      '../index.ts': 'export default { register({ strapi }) { strapi.server.routes([]) } }',
      '../extensions/upload/strapi-server.js': `module.exports = (plugin) => { plugin.routes.x = 1; return plugin }`,
      '../extensions/email/strapi-server.js': `module.exports = (plugin) => plugin`,
      'note/index.js': `module.exports = require('./own')`,
    })
    expect(elsewhere).toEqual([
      'src/index.ts',
      'src/extensions/upload/strapi-server.js',
      'src/api/note/index.js',
    ])
  })

  it('is a fault where a folder of the project may not be read', () => {
    const src = projectOf(generated)
    const schema = readSchema(src)
    const closed = join(src, 'api/note/routes')
    chmodSync(path, 0o755)
    chmodSync(closed, 0)
    const isRoot = process.getuid?.() === 0
    try {
      if (isRoot) process.seteuid?.(65534)
      expect(() => loadProjectCode(schema)).toThrow(ConfigError)
      expect(() => loadProjectCode(schema)).toThrow(
        '\n  src/api/note/routes: the process is not allowed to read the file',
      )
    } finally {
      if (isRoot) process.seteuid?.(0)
      chmodSync(closed, 0o755)
    }
  })
})

onSqlite((database) => {
  const world = database.fresh()
  const policies = `, { config: { find: { policies: ['x'] } } }`
  const { path, write } = projectFolder({
    'src/api/note/content-types/note/schema.json': schemaOf('note', {
      title: text,
      secret: relation('manyToOne', 'api::secret.secret'),
    }),
    'src/api/note/routes/note.js': router(),
    'src/api/page/content-types/page/schema.json': schemaOf('page'),
    'src/api/page/routes/page.js': router(
      'api::page.page',
      `, { config: { find: { middlewares: ['api::page.page-populate'] } } }`,
    ),
    'src/api/secret/content-types/secret/schema.json': schemaOf('secret'),
    'src/api/secret/routes/secret.js': router('api::secret.secret', policies),
    'src/index.js': 'module.exports = { register({ strapi }) { strapi.server.routes([]) } }',
  })
  const contentTypes = join(path, 'src')

  beforeAll(async () => {
    const config = { extensions: [strapi5()], contentTypes, database: world.config, logger: false as const }
    await migrate(config)
    await seed(config, {
      page: [{ title: 'Page' }],
      secret: [{ $ref: 's', title: 'Secret' }],
      note: [{ title: 'Note', secret: 's' }],
    })
  }, 60_000)

  function serve(serve: readonly string[] | '*' = [], more: Partial<ContentRouterConfig> = {}) {
    const warned: (readonly [object, string])[] = []
    const logger = {
      ...{ debug: () => undefined, info: () => undefined, error: () => undefined },
      warn: (facts: object, message: string) => warned.push([facts, message]),
    }
    const config = {
      extensions: [strapi5({ serve }), openapi()],
      contentTypes,
      database: world.config,
      logger,
    }
    const content = world.closing(
      contentRouter({ ...config, permissions: { public: { find: '*' } }, ...more }),
    )
    const app = express().use('/api', content)
    const statuses = async (): Promise<readonly number[]> => {
      const answers = ['notes', 'pages', 'secrets', 'secrets/any'].map((name) =>
        request(app).get(`/api/${name}`),
      )
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    return { app, warned, statuses }
  }

  const withheld = 'requests for a type get a 403, because the Strapi project reads the type with custom code'
  const started = 'the router does not run some files of the Strapi project, which may change routes'

  it('is a 403 as without permission, and one line of the log says why and what helps', async () => {
    const { app, warned, statuses } = serve()
    expect(warned).toEqual([
      [
        {
          type: 'api::page.page',
          reasons: ['src/api/page/routes/page.js: find has middlewares (api::page.page-populate)'],
          remedy: `add strapi5({ serve: ['page'] }), and defaultQueries({ 'page': { populate } }) with the populate of the middleware`,
        },
        withheld,
      ],
      [
        {
          type: 'api::secret.secret',
          reasons: ['src/api/secret/routes/secret.js: find has policies (x)'],
          remedy: `add strapi5({ serve: ['secret'] })`,
        },
        withheld,
      ],
      [{ files: ['src/index.js'] }, started],
    ])
    expect(await statuses()).toEqual([200, 403, 403, 403])
    const granted = serve([], { permissions: { public: { find: ['note'] } } }).app
    const [refused, forbidden] = [
      await request(app).get('/api/pages?x[y]=1'),
      await request(granted).get('/api/pages'),
    ]
    expect(refused.text).toBe(forbidden.text)
    const { data } = (await request(app).get('/api')).body as {
      readonly data: readonly { readonly uid: string }[]
    }
    expect(data.map((one) => one.uid)).toEqual([uid])
  })

  // A policy belongs to a route, and Strapi does not ask it for entries that others populate.
  it('is shown where others populate it, as in Strapi', async () => {
    const notes = await request(serve().app).get('/api/notes?populate=secret')
    expect(notes.body).toMatchObject({ data: [{ secret: { title: 'Secret' } }] })
  })

  it('is served where the host says so, without a line in the log', async () => {
    const some = serve(['page'])
    expect(await some.statuses()).toEqual([200, 200, 403, 403])
    expect(some.warned.map(([facts]) => facts)).toMatchObject([
      { type: 'api::secret.secret' },
      { files: ['src/index.js'] },
    ])
    const all = serve('*')
    expect([await all.statuses(), all.warned]).toEqual([[200, 200, 200, 404], []])
    expect(() => serve(['secrte'])).toThrow('strapi5.serve: there is no type secrte (did you mean secret?)')
  })

  it('is listed by content-router check', async () => {
    const printed: string[] = []
    const config = { contentTypes, database: world.config }
    write({ 'router.cjs': `module.exports = ${JSON.stringify(config)}` })
    const print = (line: string): void => void printed.push(line)
    const code = await runCommand(['check', '--strapi5', '--config', join(path, 'router.cjs')], {
      print,
      complain: print,
    })
    expect([code, printed]).toEqual([
      0,
      [
        'The project reads these types with custom code. To serve a type, name the type in strapi5({ serve }):',
        '  api::page.page: src/api/page/routes/page.js: find has middlewares (api::page.page-populate)',
        '  api::secret.secret: src/api/secret/routes/secret.js: find has policies (x)',
        'These files run at the start of the project and may change routes: src/index.js',
        'The tables match the definitions.',
      ],
    ])
  })
})
