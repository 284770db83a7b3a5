import express from 'express'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { sign } from 'jsonwebtoken'
import request from 'supertest'
import * as library from '../../../lib'
import * as strapi from '../../../extensions/strapi'
import { type ContentRouter, contentRouter } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { projectFolder } from '../../support/project-folder'
import { jwtSecret } from '../../support/recorded-site'
import { recordingOf } from '../../support/recordings'

const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'start', 'strapi.md'), 'utf8')
const [, section = ''] = page.split(
  '<!-- spec/extensions/strapi/project.spec.ts runs this code as it stands. -->',
)
const [, code = ''] = /```js\n(.*?)```/s.exec(section) ?? []

const editor = 1

/** What the users-permissions plugin writes out when its user is extended, with one attribute more. */
const extendedUser = {
  kind: 'collectionType',
  collectionName: 'up_users',
  info: { name: 'user', description: '', singularName: 'user', pluralName: 'users', displayName: 'User' },
  options: { draftAndPublish: false, timestamps: true },
  attributes: {
    username: { type: 'string', minLength: 3, unique: true, configurable: false, required: true },
    email: { type: 'email', minLength: 6, configurable: false, required: true },
    provider: { type: 'string', configurable: false },
    password: { type: 'password', minLength: 6, configurable: false, searchable: false },
    resetPasswordToken: { type: 'string', configurable: false, private: true, searchable: false },
    confirmationToken: { type: 'string', configurable: false, private: true, searchable: false },
    confirmed: { type: 'boolean', default: false, configurable: false },
    blocked: { type: 'boolean', default: false, configurable: false },
    role: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'plugin::users-permissions.role',
      inversedBy: 'users',
      configurable: false,
    },
    nickname: { type: 'string' },
  },
}

const routerOf = (name: string): string => `import { factories } from '@strapi/strapi'
export default factories.createCoreRouter('api::${name}.${name}')`

/** What a Strapi project has in its folders besides definitions. */
const besides = {
  'tsconfig.json': '{}',
  'src/api/.gitkeep': '',
  ...Object.fromEntries(
    ['article', 'author', 'tag'].map((name) => [`src/api/${name}/routes/${name}.ts`, routerOf(name)]),
  ),
  'src/api/article/documentation/1.0.0/article.json': '{ "/articles": { "get": {} } }',
  'src/extensions/.gitkeep': '',
  'src/extensions/documentation/documentation/1.0.0/full_documentation.json': '{ "openapi": "3.0.0" }',
  'src/extensions/users-permissions/content-types/user/schema.json': JSON.stringify(extendedUser),
}

onSqlite((database) => {
  const world = database.restored()
  const { path, write } = projectFolder(besides)
  const filename = (): string => (world.config.connection as { readonly filename: string }).filename

  beforeAll(async () => {
    cpSync(recordingOf('sqlite').contentTypes, join(path, 'src'), { recursive: true })
    await world.knex.schema.alterTable('up_users', (table) => {
      table.string('nickname')
    })
    await world.knex('up_users').update({ nickname: 'Nick' })
    const [{ author }] = (await world.knex('authors').min({ author: 'id' })) as [{ author: number }]
    await world.knex('authors_account_lnk').delete()
    await world.knex('authors_account_lnk').insert({ author_id: author, user_id: editor })
  })

  /** The code of docs/start/strapi.md, in the folder of the project. */
  function runPage(): ContentRouter {
    const imported = code.matchAll(/^import \{(.*?)\} from 'express-content-router(?:\/strapi)?'$/gm)
    const names = [...imported].map(([, some]) => some).join()
    const body = code.replaceAll(/^import .*$/gm, '').replace(`client: 'pg'`, `client: 'better-sqlite3'`)
    const variables = { DATABASE_URL: filename(), JWT_SECRET: jwtSecret, API_TOKEN_SALT: 'unused' }
    const before = process.cwd()
    process.chdir(path)
    try {
      const text = `const { ${names} } = library\n${body}\nreturn content`
      const make = compileFunction(text, ['library', 'process']) as (...given: object[]) => ContentRouter
      return make({ ...library, ...strapi }, { env: variables })
    } finally {
      process.chdir(before)
    }
  }

  it('is served by the code of docs/start/strapi.md, word for word', async () => {
    expect(code).toContain(`client: 'pg'`)
    const content = world.closing(runPage())
    await content.ready()
    const app = express().use('/api', content)
    const articles = await request(app).get('/api/articles?populate=*&pagination[pageSize]=1').expect(200)
    const [article] = (articles.body as { readonly data: readonly object[] }).data
    expect(article).toMatchObject({
      documentId: expect.any(String) as string,
      gallery: expect.any(Array) as unknown[],
    })
    expect(article).not.toHaveProperty('tags')
    await request(app).get('/api/tags').expect(403)

    const bearer = `Bearer ${sign({ id: editor }, jwtSecret, { expiresIn: '1h' })}`
    await request(app).get('/api/tags').set('Authorization', bearer).expect(200)
    const authors = await request(app)
      .get('/api/authors?populate=account&filters[account][id][$notNull]=true')
      .set('Authorization', bearer)
      .expect(200)
    const [{ account }] = (authors.body as { readonly data: readonly [{ readonly account: object }] }).data
    expect(account).toMatchObject({ nickname: 'Nick' })
    expect(account).not.toHaveProperty('password')
  }, 30_000)

  it('is served by one call, at its prefix and within its limits', async () => {
    write({
      '.env': `DATABASE_FILENAME=${filename()}\nJWT_SECRET=${jwtSecret}\nAPI_TOKEN_SALT=salt\n`,
      'config/database.ts': `import path from 'path'
export default ({ env }) => ({
  connection: { client: 'sqlite', connection: { filename: path.resolve('/', env('DATABASE_FILENAME')) } },
})`,
      'config/api.ts': `export default { rest: { prefix: '/v1', defaultLimit: 2, maxLimit: 3 } }`,
      'config/middlewares.ts': `export default [{ name: 'strapi::query', config: { arrayLimit: 1 } }]`,
    })
    const { options, prefix } = strapi.strapiProject(path, { env: {} })
    const content = world.closing(contentRouter({ ...options, logger: false }))
    const app = express().use(prefix, content)
    await content.ready()
    const articles = await request(app).get('/v1/articles?pagination[pageSize]=100').expect(200)
    const { data, meta } = articles.body as { readonly data: unknown[]; readonly meta: object }
    expect(data).toHaveLength(3)
    expect(meta).toMatchObject({ pagination: { pageSize: 3 } })
    await request(app).get('/v1/tags').expect(403)
    const long = await request(app).get('/v1/articles?fields[0]=title&fields[1]=slug').expect(400)
    expect(JSON.stringify(long.body)).toContain('at most 1 elements')
  })
})
