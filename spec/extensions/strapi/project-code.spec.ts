import express from 'express'
import { renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { contentRouter, type ContentRouterConfig, migrate, seed, strapi5 } from '../../../lib'
import { runCommand } from '../../../lib/command/run'
import { readProjectCode, type TypeCode } from '../../../lib/project'
import { readSchema } from '../../../lib/schema'
import { onSqlite } from '../../support/databases'
import { collection, relation, text } from '../../support/library'
import { projectFolder } from '../../support/project-folder'

const schemaOf = (name: string, attributes: object): string =>
  JSON.stringify({ ...collection(name, attributes as never), collectionName: `${name}s` })

const router = (uid: string, more = ''): string => `import { factories } from '@strapi/strapi';
export default factories.createCoreRouter('${uid}'${more});
`
const uid = 'api::note.note'
const core = `const { createCoreRouter } = require('@strapi/strapi').factories\n`

/** What stands in one file, and what it does to those who read notes: nothing, change what they see, or refuse them. */
type Row = readonly [effect: string, what: string, code: string]

const options = (what: string): string => router(uid, `, { ${what} }`)

const routers: readonly Row[] = [
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
  [
    'nothing',
    'a router that a function makes',
    `${core}export default ({ strapi }) => createCoreRouter('${uid}')`,
  ],
  ['nothing', 'no options', router(uid, ', {}')],
  [
    'nothing',
    'policies of writes alone',
    options(`config: { create: { policies: ['is-owner'] }, delete: {} }`),
  ],
  ['nothing', 'all that reads', router(uid, `, { only: ['find', 'findOne'] } as const`)],
  ['nothing', 'nothing that is left out', options(`except: []`)],
  ['more', 'a middleware', options(`config: { find: { middlewares: ['api::note.populate'] } }`)],
  ['more', 'no authentication', options(`config: { findOne: { auth: false, policies: [] } }`)],
  ['nothing', 'an empty prefix', options(`prefix: ''`)],
  ['unrouted', 'another prefix', options(`prefix: '/v2'`)],
  ['more', 'the usual scope', options(`config: { find: { auth: { scope: ['${uid}.find'] } } }`)],
  ['more', 'an empty scope, which Strapi fills', options(`config: { find: { auth: { scope: [] } } }`)],
  ['more', 'what Strapi passes over', options(`config: { find: { auth: { required: true } } }`)],
  ['guards find', 'a scope', options(`config: { find: { auth: { scope: ['members'] } } }`)],
  [
    'guards find',
    'more than one scope',
    options(`config: { find: { auth: { scope: ['${uid}.find', 'x'] } } }`),
  ],
  [
    'guards find',
    'the scope of another read',
    options(`config: { find: { auth: { scope: ['${uid}.findOne'] } } }`),
  ],
  ['guards find', 'an unknown scope', options(`config: { find: { auth: { scope: [scope] } } }`)],
  [
    'guards findOne',
    'strategies of its own',
    options(`config: { findOne: { auth: { strategies: ['x'] } } }`),
  ],
  ['guards find', 'a policy', options(`config: { find: { policies: ['is-owner'] } }`)],
  [
    'guards findOne',
    'a policy that is a function',
    options(`config: { findOne: { policies: [(ctx) => { if (x) { return /}/.test(x) } }] } }`),
  ],
  [
    'guards',
    'policies of both',
    options(`config: { find: { policies: ['a'] }, findOne: { policies: ['a'] } }`),
  ],
  [
    'guards find',
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
    'guards find',
    'other routes than those that it had set before',
    `module.exports = require('@strapi/strapi').factories.createCoreRouter('${uid}')
module.exports = { routes: [
  { method: 'GET', path: '/notes', handler: 'note.find', config: { policies: ['x'] } },
  { method: 'GET', path: '/notes/:id', handler: 'note.findOne' },
] }`,
  ],
  ['guards', 'what is spread from elsewhere', options(`...options`)],
  ['guards', 'what is spread behind a policy that it may set', options(`config: {}, ...{ ...options }`)],
  ['guards', 'options of another file', `import o from './o'\n${router(uid, ', o')}`],
  ['guards', 'a policy for reads that is worked out', options(`config: { [read]: { policies } }`)],
  ['guards', 'a router of another file', `module.exports = require('../../shared/router')('${uid}')`],
  ['guards', 'a router of whatever type', `${core}export default createCoreRouter(process.env.TYPE)`],
  ['guards', 'a text that cannot be read and names policies', `export default (((policies`],
  [
    'guards',
    'routes behind the core ones that it spreads',
    `${core}const own = { method: 'GET', path: '/notes', handler: 'note.find', config: { policies: ['x'] } }
export default { ...createCoreRouter('${uid}'), routes: [own] }`,
  ],
  [
    'guards',
    'routes among which it spreads the core ones',
    `${core}const own = { method: 'GET', path: '/notes', handler: 'note.find', config: { policies: ['x'] } }
export default { routes: [own, ...createCoreRouter('${uid}').routes] }`,
  ],
  [
    'more',
    'a router that is wrapped by hand',
    `const { createCoreRouter } = require('@strapi/strapi').factories
const inner = createCoreRouter('${uid}')
let routes
module.exports = { get routes() { routes = routes ?? inner.routes; return routes } }`,
  ],
  [
    'more',
    'the core routes, written out',
    `export default { routes: [
  { method: 'GET', path: '/notes', handler: 'note.find' },
  { method: 'GET', path: '/notes/:id', handler: 'api::note.note.findOne', config: { policies: [] } },
] }`,
  ],
  ['unrouted', 'nothing', ''],
  ['unrouted', 'an empty router', 'export default {}'],
  ['unrouted', 'no routes', `export default { routes: [] }`],
  ['unrouted', 'nothing that reads', options(`only: ['create']`)],
  ['unrouted', 'an empty choice', options(`only: []`)],
  ['unrouted', 'the reads left out', options(`except: ['find', 'findOne', 'create']`)],
  ['unrouted find', 'no list', options(`except: ['find']`)],
  ['unrouted findOne', 'no entry', options(`only: ['find']`)],
  ['guards', 'a choice that cannot be told', options(`only: [...reads]`)],
  ['unrouted', 'the router of another type', router('api::page.page')],
  [
    'unrouted',
    'a route that writes',
    `export default { routes: [{ method: 'POST', path: '/notes', handler: 'note.create' }] }`,
  ],
  [
    'replaced find, unrouted findOne',
    'a read that is not the core one',
    `export default { routes: [{ method: 'GET', path: '/notes', handler: 'note.all' }] }`,
  ],
  [
    'unrouted findOne',
    'only one core route, written out',
    `export default { routes: [{ method: 'GET', path: '/notes', handler: 'note.find' }] }`,
  ],
  [
    'unrouted',
    'core reads that stand elsewhere',
    `export default { prefix: '/mine', routes: [{ method: 'GET', path: '/notes', handler: 'note.find' }] }`,
  ],
  [
    'unrouted findOne',
    'a core read with no prefix below one',
    `export default { prefix: '/mine', routes: [{ method: 'GET', path: '/notes', handler: 'note.find', config: { prefix: '' } }] }`,
  ],
  [
    'unrouted',
    'a mere list, which Strapi serves outside of the API',
    `export default [
  { method: 'GET', path: '/notes', handler: '${uid}.find' },
  { method: 'GET', path: '/notes/:id', handler: '${uid}.findOne' },
]`,
  ],
]

/** Each changes `config` by code that is not understood, so that it may hold a policy. */
const changing: readonly (readonly [what: string, code: string])[] = [
  ['a module of its own', `const done = require('../lock')(config)`],
  ['what is imported', `import { lock } from '../lock'\nconst done = lock(config)`],
  ['a call within another value', `const more = { x: Object.assign(config, locked) }`],
  ['a merge', `const merged = _.merge(config, locked)`],
  ['a call in a destructuring', `const { done } = _.merge(config, locked)`],
  ['a method of a list', `const done = [config].map((one) => { one.find = locked; return one })`],
  [
    'a method that a list of it is given to',
    `const all = []\nconst done = all.push(config)\nconst put = lock(all)`,
  ],
  [
    'a function of the file',
    `const lock = (one) => { one.find = locked; return one }\nconst done = lock(config)`,
  ],
  ['a short function of the file', `const lock = (one) => (one.find = locked)\nconst done = lock(config)`],
  ['a function that names it', `function lock() { config.find = locked }\nconst done = lock()`],
  ['a function that is handed on', `const done = later(() => { config.find = locked })`],
  ['a class that is made', `const done = new Lock(config)`],
  ['a tag', 'const done = lock`${config}`'],
  ['one of two ways', `const done = process.env.X ? lock(config) : 0`],
  ['what may not be asked for', `const done = process.env.X && lock(config)`],
  ['a comparison with what is not known', `const done = process.env.X === lock(config)`],
  ['another name of it', `const other = { config }\nconst done = lock(other.config)`],
  ['a name that is not known', `const other = { config }\nconst done = lock(other[process.env.X])`],
  [
    'all that a function is given',
    `function take() { return lock(arguments[0]) }\nconst done = take(config)`,
  ],
  [
    'what it is a method of',
    `const other = { config, take: function () { return lock(this) } }\nconst done = other.take()`,
  ],
  ['an unknown key beside it', `const done = { x: 1, [process.env.X]: lock(config) }`],
]

const ownRoute = (path: string, more = `config: { policies: ['x'] }`): string =>
  `{ method: 'GET', path: '${path}', handler: 'note.own', ${more} }`

/** In a file of their own beside the core router of notes. */
const besides: readonly Row[] = [
  ['more', 'no reads', `export default { routes: [${ownRoute('/notes/:id/likes')}] }`],
  ...['/notes/:slug', '/notes/:id/:part?'].map((path): Row => [
    'guards findOne',
    `one that may come before that of an entry, ${path}`,
    `export default { routes: [${ownRoute(path)}] }`,
  ]),
  ...['/Notes', '/notes/', ' /notes', '/:any'].map((path): Row => [
    'guards find',
    `one that may answer in place of the list, ${path}`,
    `export default { routes: [${ownRoute(path)}] }`,
  ]),
  ...['/(note|x)s', '/notes(.*)', '/not(es)?', '/notese?', '/NOTE:end(.*)', '/notes/:id?'].map(
    (path): Row => [
      'guards',
      `one that may answer in place of both, ${path}`,
      `export default { routes: [${ownRoute(path)}] }`,
    ],
  ),
  ['guards findOne', 'one of all entries', `export default { routes: [${ownRoute('/:any/:id')}] }`],
  ['guards find', 'one below a prefix', `export default { prefix: '/notes', routes: [${ownRoute('/')}] }`],
  [
    'guards find',
    'one outside of the prefix',
    `export default { prefix: '/v2', routes: [${ownRoute('/notes', `config: { prefix: '', policies: ['x'] }`)}] }`,
  ],
  ...['/notes/featured', '/other/:id', '/notes/:id/likes', '/other(.*)', '/no-:name/:id', '/others?'].map(
    (path): Row => ['more', `one elsewhere, ${path}`, `export default { routes: [${ownRoute(path)}] }`],
  ),
  ['more', 'one without policies', `export default { routes: [${ownRoute('/notes/:slug', '')}] }`],
  [
    'guards findOne',
    'one that asks for a scope',
    `export default { routes: [${ownRoute('/notes/:slug', `config: { auth: { scope: ['x'] } }`)}] }`,
  ],
  [
    'guards find',
    'one that a function answers, for which Strapi wants somebody signed in',
    `export default { routes: [{ method: 'GET', path: '/notes', handler: (ctx) => ctx.send(1) }] }`,
  ],
  [
    'guards',
    'routes that a function makes of what is elsewhere',
    `export default ({ strapi }) => ({ routes: strapi.own })`,
  ],
  [
    'guards find',
    'routes that a function makes',
    `export default ({ strapi }) => ({ routes: [${ownRoute('/notes')}] })`,
  ],
  ['guards find', 'a mere list of the server', `export default [${ownRoute('/api/notes')}]`],
  ['more', 'a mere list elsewhere', `export default [${ownRoute('/notes')}]`],
]

const others: readonly Row[] = [
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
  ['nothing', 'routes/note.d.ts', `declare const policies: string[]`],
  ['nothing', 'routes/note.test.ts', `import '../policies'`],
  ['guards find', 'routes/.own.js', options(`config: { find: { policies: ['x'] } }`)],
  [
    'guards find',
    'routes/own.json',
    `{ "routes": [{ "method": "GET", "path": "/notes", "handler": "note.x", "config": { "policies": ["x"] } }] }`,
  ],
]

const effectOf = (told: TypeCode | undefined): string => {
  if (told === undefined) return 'nothing'
  const some = (effect: string, actions: readonly string[]): string =>
    actions.length === told.reads.length ? effect : `${effect} ${actions.join(' ')}`
  const effects = [
    ...(told.guarded.length > 0 ? [some('guards', told.guarded)] : []),
    ...(told.replaced.length > 0 ? [some('replaced', told.replaced)] : []),
    ...(told.unrouted.length > 0 ? [some('unrouted', told.unrouted)] : []),
  ]
  return effects.length > 0 ? effects.join(', ') : 'more'
}

describe('the code beside a definition', () => {
  const { path, write } = projectFolder()
  let count = 0

  /** Files below `src/api`, beside a type of notes. */
  function project(files: Readonly<Record<string, string>>, schemas: Readonly<Record<string, string>> = {}) {
    const folder = `project-${String((count += 1))}`
    const all = {
      'note/content-types/note/schema.json': schemaOf('note', { title: text }),
      ...schemas,
      ...files,
    }
    write(Object.fromEntries(Object.entries(all).map(([name, code]) => [`${folder}/src/api/${name}`, code])))
    return join(path, folder)
  }

  function read(files: Readonly<Record<string, string>>, schemas: Readonly<Record<string, string>> = {}) {
    return readProjectCode(readSchema(join(project(files, schemas), 'src')))
  }

  function effects(files: Readonly<Record<string, string>>, schemas: Readonly<Record<string, string>> = {}) {
    return Object.fromEntries(read(files, schemas).types.map((told) => [told.uid, effectOf(told)]))
  }

  const page = { 'page/content-types/page/schema.json': schemaOf('page', { title: text }) }
  const pageRoutes = { 'page/routes/page.ts': router('api::page.page') }

  it.each(routers)('%s: routes with %s', (effect, _what, code) => {
    expect(effects({ 'note/routes/note.ts': code })[uid] ?? 'nothing').toBe(effect)
  })

  it.each(besides)('%s: routes of its own, %s', (effect, _what, code) => {
    const [told] = read({ 'note/routes/note.ts': router(uid), 'note/routes/own.ts': code }).types
    expect(told?.files).toEqual(['routes/own.ts'])
    expect(effectOf(told)).toBe(effect)
  })

  it.each(changing)('withholds what may have been changed by %s', (_what, code) => {
    const file = `${core}const config = { find: {}, findOne: {} }
const locked = { policies: ['x'] }
${code}
module.exports = createCoreRouter('${uid}', { config })`
    expect(effects({ 'note/routes/note.js': file })).toEqual({ [uid]: 'guards' })
  })

  it('withholds what is changed behind the router that is made of it', () => {
    const after = (code: string): string =>
      `${core}const config = { find: {} }\nconst made = createCoreRouter('${uid}', { config })\n${code}\nexport default made`
    for (const code of ['const x = lock(config)', 'const x = lock(made)', 'const x = made.routes.push({})'])
      expect(effects({ 'note/routes/note.ts': after(code) })).toEqual({ [uid]: 'guards' })
  })

  it('withholds what is seen through another object', () => {
    expect(
      effects({ 'note/routes/note.ts': options(`config: { find: { __proto__: { policies: ['x'] } } }`) }),
    ).toEqual({ [uid]: 'guards find' })
  })

  it('serves what is handed to nobody but functions that are understood', () => {
    const code = `${core}const config = { find: {} }
const same = (one) => ({ config: one })
const { config: inner } = same(config)
const unlike = ['find', 'findOne'].join('-')
module.exports = createCoreRouter('${uid}', same(inner))`
    expect(effects({ 'note/routes/note.js': code })).toEqual({})
    const fresh = `${core}const done = require('../lock')({ createCoreRouter, strapi: require('@strapi/strapi') })
module.exports = createCoreRouter('${uid}')`
    expect(effects({ 'note/routes/note.js': fresh })).toEqual({})
  })

  it.each(others)('%s: %s', (effect, name, code) => {
    const [told] = read({ 'note/routes/note.ts': router(uid), [`note/${name}`]: code }).types
    expect(told?.files ?? [name]).toEqual([name])
    expect(effectOf(told)).toBe(effect)
  })

  it('routes nothing where a folder has no routes, and others of the project have', () => {
    expect(effects(pageRoutes, page)).toEqual({ [uid]: 'unrouted' })
    expect(effects({ 'note/controllers/note.js': '', 'page/routes/page.ts': '' }, page)).toEqual({
      [uid]: 'unrouted',
      'api::page.page': 'unrouted',
    })
  })

  it('is none that could tell what is routed where there are definitions alone', () => {
    expect(read({ 'note/routes/.gitkeep': '' }, page)).toEqual({ types: [], elsewhere: [] })
  })

  it('needs no route for an entry where there is only one', () => {
    const single = {
      'home/content-types/home/schema.json': JSON.stringify({
        ...JSON.parse(schemaOf('home', { title: text })),
        kind: 'singleType',
      }),
    }
    const own = `export default { routes: [{ method: 'GET', path: '/home', handler: 'home.find' }] }`
    const routes = { 'note/routes/note.ts': router(uid) }
    expect(
      effects({ ...routes, 'home/routes/home.ts': router('api::home.home', `, { only: ['find'] }`) }, single),
    ).toEqual({})
    expect(effects({ ...routes, 'home/routes/home.ts': own }, single)).toEqual({ 'api::home.home': 'more' })
    expect(effects({ ...routes, 'home/routes/home.ts': '' }, single)).toEqual({
      'api::home.home': 'unrouted',
    })
  })

  const foreign: readonly Row[] = [
    [
      'guards find',
      'a core router with a policy',
      options(`config: { find: { policies: ['x'], auth: false }, findOne: { auth: false } }`),
    ],
    // Strapi then asks for a permission called api::all.api::note.note.find, which no role has.
    ['guards', 'a core router, whose scope is of that API', router(uid)],
    [
      'more',
      'a core router that is open to all',
      options(`config: { find: { auth: false }, findOne: { auth: false } }`),
    ],
    ['guards find', 'a route with a policy', `export default { routes: [${ownRoute('/notes')}] }`],
    ['guards find', 'a pattern that comes first', `export default { routes: [${ownRoute('/:slug')}] }`],
    [
      'guards',
      'text that names it and cannot be read',
      `${core}let x\nexport default [x('${uid}'), policies]`,
    ],
    [
      'nothing',
      'text that cannot be read and does not name it',
      `let x\nexport default [x('api::note.notebook'), policies]`,
    ],
    ['nothing', 'routes elsewhere', `export default { routes: [${ownRoute('/all')}] }`],
  ]

  it.each(foreign)('%s: in the folder of another API, %s', (effect, _what, code) => {
    const [told] = read({ 'note/routes/note.ts': router(uid), 'all/routes/all.ts': code }).types
    expect(told?.files ?? ['../all/routes/all.ts']).toEqual(['../all/routes/all.ts'])
    expect(effectOf(told)).toBe(effect)
  })

  it('is not shadowed by a pattern of an API that comes later', () => {
    const pattern = `export default { routes: [${ownRoute('/:slug')}] }`
    expect(effects({ 'note/routes/note.ts': router(uid), 'zone/routes/zone.ts': pattern })).toEqual({})
  })

  it('is answered by the first route that fits, as in Strapi', () => {
    const slug = `export default { routes: [${ownRoute('/notes/:slug', '')}] }`
    const some = `export default { routes: [${ownRoute('/notes/:slug([0-9]+)', '')}] }`
    const both = `export default { routes: [
  { method: 'GET', path: '/notes', handler: 'note.find' },
  { method: 'GET', path: '/notes/:id', handler: 'note.findOne' },
  { method: 'GET', path: '/:any', handler: 'note.any' },
] }`
    const note = { 'note/routes/note.ts': router(uid) }
    expect(effects({ ...note, 'note/routes/01-own.ts': slug })).toEqual({ [uid]: 'replaced findOne' })
    expect(effects({ ...note, 'note/routes/01-own.ts': some })).toEqual({ [uid]: 'more' })
    expect(effects({ ...note, 'note/routes/own.ts': slug })).toEqual({ [uid]: 'more' })
    expect(effects({ ...note, 'all/routes/all.ts': slug })).toEqual({ [uid]: 'replaced findOne' })
    expect(effects({ ...pageRoutes, 'note/routes/note.ts': both }, page)).toEqual({
      [uid]: 'more',
      'api::page.page': 'replaced find',
    })
  })

  it('may be routed by the folder of another API, with the scope of its own', () => {
    const config = ['find', 'findOne'].map((action) => `${action}: { auth: { scope: ['${uid}.${action}'] } }`)
    const code = options(`config: { ${config.join(', ')} }`)
    expect(effects({ 'all/routes/all.ts': code })).toEqual({ [uid]: 'more' })
    expect(effects({ 'all/routes/all.ts': router(uid) })).toEqual({ [uid]: 'guards' })
  })

  it('counts files as locks that Strapi may load, and as routes only those that it does', () => {
    expect(effects({ 'note/routes/.note.js': router(uid) })).toEqual({ [uid]: 'unrouted' })
    expect(effects({ 'note/routes/note.test.js': router(uid) })).toEqual({ [uid]: 'unrouted' })
    // The second of one name takes the place of the first.
    expect(effects({ 'note/routes/note.js': router(uid), 'note/routes/note.ts': '' })).toEqual({
      [uid]: 'unrouted',
    })
    expect(effects({ 'note/routes/note.js': router(uid), 'note/routes/note.md': '' })).toEqual({
      [uid]: 'unrouted',
    })
    expect(effects({ 'note/routes/note.js': router(uid), 'note/routes/note.js.map': '' })).toEqual({})
    expect(effects({ 'note/routes/more/note.js': router(uid) })).toEqual({})
  })

  it('is TypeScript alone where a project is compiled and both are there', () => {
    const compiled = { '../../tsconfig.json': '{}', 'note/routes/note.md': '' }
    const guarded = options(`config: { find: { policies: ['x'] } }`)
    expect(
      effects({ ...compiled, 'note/routes/note.js': guarded, 'note/routes/note.ts': router(uid) }),
    ).toEqual({})
  })

  it('is not read where a file is too long, and so not served where that holds routes', () => {
    const long = `${router(uid)}// ${'x'.repeat(1_000_000)}`
    const { types } = read(
      { 'note/routes/note.ts': router(uid), 'note/routes/long.ts': long, ...pageRoutes },
      page,
    )
    expect(types.map((told) => [told.uid, told.files, effectOf(told)])).toEqual([
      [uid, ['routes/long.ts (not read: it is over 1 MB)'], 'guards'],
    ])
  })

  it.each([
    [
      'lists',
      'const a0 = [1]',
      (n: number) => `const a${String(n + 1)} = [...a${String(n)}, ...a${String(n)}]`,
    ],
    [
      'objects',
      'const a0 = () => ({ a: 1 })',
      (n: number) => `const a${String(n + 1)} = () => ({ x: a${String(n)}(), y: a${String(n)}() })`,
    ],
    ['texts', `const a0 = 'x'`, (n: number) => `const a${String(n + 1)} = a${String(n)} + a${String(n)}`],
    [
      'calls',
      'const a0 = () => 1',
      (n: number) => `const a${String(n + 1)} = () => [a${String(n)}(), a${String(n)}()][0]`,
    ],
    ['recursion', 'const a0 = (n) => [a0(n + 1), a0(n + 1)]', (n: number) => `const a${String(n + 1)} = a0`],
  ])('is not read to its end where %s take more steps than a person writes', (_what, first, next) => {
    const lines = [first, ...Array.from({ length: 40 }, (_, at) => next(at))]
    const code = `${core}${lines.join('\n')}
export default () => createCoreRouter('${uid}', { type: [a40, a40(1)] })`
    const { types } = read(
      { 'note/routes/note.ts': router(uid), 'note/routes/own.ts': code, ...pageRoutes },
      page,
    )
    expect(types.map((told) => [told.uid, told.files, effectOf(told)])).toEqual([
      [uid, ['routes/own.ts (not read: it takes too many steps)'], 'guards'],
    ])
  })

  it('is not read to its end where all files together take too many steps', () => {
    const lines = Array.from(
      { length: 12 },
      (_, at) => `const a${String(at + 1)} = [...a${String(at)}, ...a${String(at)}]`,
    )
    const half = `const a0 = [1, 2, 3, 4, 5, 6, 7, 8, 9]\n${lines.join('\n')}\nmodule.exports = { routes: [] }`
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`all/routes/s${String(at)}.js`, half]),
    )
    const { types } = read({ ...many, 'note/routes/note.ts': router(uid) })
    expect(types).toMatchObject([{ uid, files: ['routes/note.ts (not read: it takes too many steps)'] }])
    expect(effectOf(types[0])).toBe('guards')
  })

  it('is not read further where all files together are too long', () => {
    const half = `// ${'x'.repeat(900_000)}`
    const many = Object.fromEntries(
      Array.from({ length: 5 }, (_, at) => [`all/services/s${String(at)}.js`, half]),
    )
    const { types } = read({ ...many, 'note/routes/note.ts': router(uid), 'note/services/note.js': half })
    expect(types).toMatchObject([
      { uid, files: ['services/note.js (not read: it stands behind 4 MB of code)'] },
    ])
  })

  it('is not read behind a link, which Strapi passes over', () => {
    const folder = project({ 'note/routes/other.ts': router(uid), 'note/real.ts': router(uid) })
    const routes = join(folder, 'src/api/note/routes')
    symlinkSync(join(folder, 'src/api/note/real.ts'), join(routes, 'note.ts'))
    symlinkSync(join(folder, 'nowhere.ts'), join(routes, 'gone.ts'))
    const { types } = readProjectCode(readSchema(join(folder, 'src')))
    const why = '(not read: it is a link)'
    expect(types).toMatchObject([{ uid, files: [`routes/gone.ts ${why}`, `routes/note.ts ${why}`] }])
  })

  it('is not routed where the folder of its API is a link, which Strapi passes over', () => {
    const folder = project({ ...pageRoutes, 'note/routes/note.ts': router(uid) }, page)
    const note = join(folder, 'src/api/note')
    renameSync(note, join(folder, 'note'))
    symlinkSync(join(folder, 'note'), note)
    const { types } = readProjectCode(readSchema(join(folder, 'src')))
    expect(types).toMatchObject([{ uid, unrouted: ['find', 'findOne'] }])
  })

  it('is not routed where the folders of all APIs are links either, unless there is no code behind them', () => {
    const linked = (files: Readonly<Record<string, string>>) => {
      const folder = project(files)
      const note = join(folder, 'src/api/note')
      renameSync(note, join(folder, 'note'))
      symlinkSync(join(folder, 'note'), note)
      return readProjectCode(readSchema(join(folder, 'src'))).types
    }
    expect(linked({ 'note/routes/note.ts': router(uid) })).toMatchObject([
      { uid, unrouted: ['find', 'findOne'] },
    ])
    expect(linked({})).toEqual([])
  })

  it('names what is run at the start and may route, without looking further', () => {
    const generated = `export default {
  /** This gives you an opportunity to extend code. */
  register(/* { strapi }: { strapi: Core.Strapi } */) {},
  bootstrap(/* { strapi }: { strapi: Core.Strapi } */) {},
};`
    const adding = `module.exports = (plugin) => { plugin.routes['content-api'].routes.push({}); return plugin }`
    const routes = { 'note/routes/note.ts': router(uid) }
    expect(
      read({ ...routes, '../index.ts': generated, 'note/index.js': 'module.exports = {}' }).elsewhere,
    ).toEqual([])
    const { elsewhere } = read({
      ...routes,
      '../index.js': `module.exports = { register({ strapi }) { strapi.server.routes([]) } }`,
      '../extensions/upload/strapi-server.js': adding,
      'note/index.js': `module.exports = require('./own')`,
    })
    expect(elsewhere).toEqual([
      'src/index.js',
      'src/extensions/upload/strapi-server.js',
      'src/api/note/index.js',
    ])
  })

  it('belongs to the type that its file is named after, or whose router it makes', () => {
    const schemas = { 'note/content-types/label/schema.json': schemaOf('label', { title: text }) }
    const told = read(
      {
        'note/controllers/label.js': 'module.exports = { find() { return [] } }',
        'note/routes/core.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('${uid}', { prefix: '/v2' })`,
        'note/routes/label.js': router('api::note.label'),
        'note/policies/late.js': 'module.exports = () => true',
      },
      schemas,
    )
    expect(new Map(told.types.map((one) => [one.uid, one.files]))).toEqual(
      new Map([
        ['api::note.label', ['controllers/label.js', 'policies/late.js']],
        [uid, ['routes/core.js', 'policies/late.js']],
      ]),
    )
  })

  it('belongs to whichever type its routes answer for', () => {
    const schemas = { 'note/content-types/label/schema.json': schemaOf('label', { title: text }) }
    const label = `export default { routes: [
  { method: 'GET', path: '/labels', handler: 'label.find' },
  { method: 'GET', path: '/labels/:id', handler: 'label.findOne' },
  { method: 'GET', path: '/notes', handler: 'label.notes', config: { policies: ['x'] } },
] }`
    const files = { 'note/routes/note.ts': router(uid), 'note/routes/label.ts': label }
    expect(effects(files, schemas)).toEqual({ 'api::note.label': 'more', [uid]: 'guards find' })
  })
})

onSqlite((database) => {
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
      `, { config: { find: { policies: ['x'] }, findOne: { policies: ['x'] } } }`,
    ),
    'src/api/late/content-types/late/schema.json': schemaOf('late', {
      secret: relation('manyToOne', 'api::secret.secret'),
    }),
    'src/api/late/routes/late.ts': router(
      'api::late.late',
      `, { config: { findOne: { policies: ['x'] } }, except: ['create'] }`,
    ),
    'src/api/gone/content-types/gone/schema.json': schemaOf('gone', { title: text }),
    'src/api/gone/routes/gone.ts': 'export default { routes: [] }',
    'src/index.js': 'module.exports = { register({ strapi }) { strapi.server.routes([]) } }',
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
      gone: [{ title: 'Gone' }],
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

  const told = [
    'api::gone.gone: the project does not route it',
    'api::late.late: routes/late.ts (may refuse who asks for findOne)',
    'api::page.page: routes/page.ts',
    'api::secret.secret: routes/secret.ts (may refuse who asks)',
  ]

  it('names each type with code in one warning, and does not serve what is guarded or not routed', async () => {
    const { warned, status } = serve()
    expect(warned).toHaveLength(1)
    expect(warned[0]?.facts).toMatchObject({
      code: told,
      notServed: ['api::gone.gone', 'api::late.late.findOne', 'api::secret.secret'],
      mayRoute: ['src/index.js'],
    })
    const paths = ['notes', 'pages', 'lates', 'secrets', 'secrets/any', 'lates/any', 'gones', 'gones/any']
    expect(await Promise.all(paths.map(status))).toEqual([200, 200, 200, 403, 403, 403, 403, 403])
  })

  it('answers for such a type as for one without permission, and does not list it', async () => {
    const { app } = serve()
    const forbidden = await request(serve({ permissions: { public: { find: ['note'] } } }).app).get(
      '/api/pages',
    )
    const withheld = await request(app).get('/api/secrets?filters[nothing]=1')
    expect(withheld.text).toBe(forbidden.text)
    const listed = await request(app).get('/api')
    const body = listed.body as { readonly data: readonly { readonly uid: string; readonly one?: string }[] }
    expect(body.data.map(({ uid, one }) => [uid, one]).sort()).toEqual([
      ['api::late.late', undefined],
      ['api::note.note', '/api/notes/:documentId'],
      ['api::page.page', '/api/pages/:documentId'],
    ])
  })

  // A policy stands on a route, and Strapi asks none of those that others are populated by.
  it('shows it where others lead to it, as Strapi does', async () => {
    const shown = await request(serve().app).get('/api/lates?populate=secret')
    expect(shown.body).toMatchObject({ data: [{ secret: { title: 'Secret' } }] })
  })

  it('serves what the host says, and warns no more of it', async () => {
    const { warned, status } = serve({ projectCode: { serve: ['secret', 'gone', 'late'] } })
    const paths = ['secrets', 'gones', 'lates']
    expect(await Promise.all(paths.map(status))).toEqual([200, 200, 200])
    expect(warned.map(({ facts }) => facts)).toMatchObject([
      { code: ['api::page.page: routes/page.ts'], notServed: [], mayRoute: ['src/index.js'] },
    ])
    const all = ['secret', 'gone', 'late', 'note', 'api::page.page']
    expect(serve({ projectCode: { serve: all } }).warned).toEqual([])
  })

  it('withholds all with code, or none', async () => {
    const paths = ['notes', 'pages', 'secrets', 'gones', 'lates']
    const all = serve({ projectCode: { withhold: 'all' } })
    expect(await Promise.all(paths.map(all.status))).toEqual([200, 403, 403, 403, 403])
    const none = serve({ projectCode: { withhold: 'none' } })
    expect(await Promise.all(paths.map(none.status))).toEqual([200, 200, 200, 200, 200])
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
      ...told.map((line) => `  ${line}`),
      'It may add routes or change them in files that were not looked into: src/index.js',
      'The tables hold what the definitions ask for.',
    ])
    expect(code).toBe(0)
  })
})
