import { sign } from 'jsonwebtoken'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Knex } from 'knex'
import { onSqlite } from '../../support/databases'
import { jwtSecret } from '../../support/recorded-site'
import { recordingOf } from '../../support/recordings'

const run = promisify(execFile)
const root = join(__dirname, '..', '..', '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const [, section = ''] = readme.split('## With an existing Strapi 5 database')
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
  'src/api/.gitkeep': '',
  ...Object.fromEntries(
    ['article', 'author', 'tag'].map((name) => [`src/api/${name}/routes/${name}.ts`, routerOf(name)]),
  ),
  'src/api/article/documentation/1.0.0/article.json': '{ "/articles": { "get": {} } }',
  'src/extensions/.gitkeep': '',
  'src/extensions/documentation/documentation/1.0.0/full_documentation.json': '{ "openapi": "3.0.0" }',
  'src/extensions/users-permissions/content-types/user/schema.json': JSON.stringify(extendedUser),
}

const questions = `
import express from 'express'
import request from 'supertest'

const app = express().use('/api', content)
const editor = 'Bearer ' + process.env.EDITOR_TOKEN
afterAll(() => content.close())

test('the definitions and the tables agree', () => content.ready())

test('the public reads articles with what they lead to', async () => {
  const { body } = await request(app).get('/api/articles?populate=*&pagination[pageSize]=1').expect(200)
  expect(body.data).toHaveLength(1)
  expect(body.data[0]).toMatchObject({ documentId: expect.any(String), gallery: expect.any(Array) })
  expect(body.data[0]).not.toHaveProperty('tags')
  await request(app).get('/api/tags').expect(403)
})

test('an editor reads tags, and users with what the extension added', async () => {
  await request(app).get('/api/tags').set('Authorization', editor).expect(200)
  const { body } = await request(app)
    .get('/api/authors?populate=account&filters[account][id][$notNull]=true')
    .set('Authorization', editor)
    .expect(200)
  expect(body.data[0].account).toMatchObject({ nickname: 'Nick' })
  expect(body.data[0].account).not.toHaveProperty('password')
})
`

function makeProject(host: string): string {
  mkdirSync(join(root, '.tmp'), { recursive: true })
  const folder = mkdtempSync(join(root, '.tmp', 'strapi-'))
  cpSync(recordingOf('sqlite').contentTypes, join(folder, 'src'), { recursive: true })
  for (const [name, text] of Object.entries({ ...besides, 'host.spec.ts': host })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const settings = {
  testMatch: ['**/*.spec.ts'],
  testEnvironment: 'node',
  transform: {
    '\\.ts$': [require.resolve('@swc/jest'), { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
  },
  moduleNameMapper: { '^express-content-router$': join(root, 'lib', 'index.ts') },
}

interface Report {
  readonly numPassedTests: number
  readonly testResults: readonly { readonly message: string }[]
}

async function runHost(folder: string, database: string): Promise<Report> {
  const env = {
    ...process.env,
    DATABASE_URL: database,
    JWT_SECRET: jwtSecret,
    API_TOKEN_SALT: 'unused',
    EDITOR_TOKEN: sign({ id: editor }, jwtSecret, { expiresIn: '1h' }),
  }
  const config = JSON.stringify({ ...settings, rootDir: folder })
  const jest = [require.resolve('jest/bin/jest'), '--config', config, '--json', '--silent']
  const { stdout } = await run(process.execPath, jest, { cwd: folder, env }).catch(
    (error: unknown) => error as { stdout: string },
  )
  return JSON.parse(stdout) as Report
}

function urlOf({ client, connection }: Knex.Config): string {
  const at = connection as Readonly<Record<string, string>>
  if (client === 'better-sqlite3') return String(at['filename'])
  const { user = '', password = '', host = '', port = '', database = '' } = at
  const scheme = client === 'pg' ? 'postgres' : 'mysql'
  return `${scheme}://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${database}`
}

onSqlite((database) => {
  const world = database.restored()

  beforeAll(async () => {
    await world.knex.schema.alterTable('up_users', (table) => {
      table.string('nickname')
    })
    await world.knex('up_users').update({ nickname: 'Nick' })
    const [{ author }] = (await world.knex('authors').min({ author: 'id' })) as [{ author: number }]
    await world.knex('authors_account_lnk').delete()
    await world.knex('authors_account_lnk').insert({ author_id: author, user_id: editor })
  })

  it('serves the folders of a Strapi project with the code of the README, word for word', async () => {
    const client = String(world.config.client)
    expect(code).toContain(`client: 'pg'`)
    const folder = makeProject(code.replace(`client: 'pg'`, `client: '${client}'`) + questions)
    const { numPassedTests, testResults } = await runHost(folder, urlOf(world.config))
    rmSync(folder, { recursive: true })
    expect(testResults.map(({ message }) => message)).toEqual([''])
    expect(numPassedTests).toBe(3)
  }, 60_000)
})
