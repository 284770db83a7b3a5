import { sign } from 'jsonwebtoken'
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { request as ask } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Knex } from 'knex'
import { readOnlyDatabase } from '../../lib/database'
import { onSqlite } from '../support/databases'
import { projectFolder } from '../support/project-folder'
import { started, type Started } from '../support/started'
import { jwtSecret } from '../support/recorded-site'
import { addTypes, dotEnvFor, standOf, strapiFiles } from '../support/strapi-folder'

interface Listed {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly meta: { readonly pagination: Readonly<Record<string, number>>; readonly explain?: object }
}

/** A request whose `Host` is what it is told, as fetch does not allow. */
const statusFor = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    ask(url, { headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })

/** Its words alone: SQLite's errors may be of the class that another file of specs has made known. */
const refusalOf = (writing: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(writing).then(
    () => 'taken',
    (error: unknown) => (error as Error).message,
  )

onSqlite((database) => {
  describe('express-content-router in a Strapi project', () => {
    const world = database.restored()
    const { path, write } = projectFolder(strapiFiles)
    let site: Started
    let before: Readonly<Record<string, string>>

    beforeAll(async () => {
      addTypes(path)
      write({ '.env': dotEnvFor(world.config) })
      if (database.name === 'sqlite') {
        mkdirSync(join(path, '.tmp'))
        const { filename } = world.config.connection as { readonly filename: string }
        copyFileSync(filename, join(path, '.tmp', 'data.db'))
      }
      before = standOf(path)
      site = await started([], { cwd: path })
    }, 60_000)
    afterAll(() => site.stop())

    const get = (address: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(site.at + address, { headers, redirect: 'manual' })
    const list = async (address: string, headers?: Readonly<Record<string, string>>): Promise<Listed> =>
      (await (await get(address, headers)).json()) as Listed

    it('says at once where there is no Strapi beside it, and serves all the same', async () => {
      const beside = 'http://127.0.0.1:1'
      const alone = await started(['--beside', beside], { cwd: path })
      // What it complains of comes by another way than what it prints, perhaps later.
      const silence = `${beside} gives no answer now. Is that Strapi started?`
      for (let tries = 0; tries < 100 && !alone.said().includes(silence); tries += 1) await setTimeout(50)
      expect((await fetch(`${alone.at}/explorer/`)).status).toBe(200)
      expect((await alone.stop()).said).toContain(silence)
    })

    it('says what it found and where, and no password', () => {
      const said = site.said()
      expect(said).toContain('Strapi 5.47.1 project my-strapi')
      expect(said).toMatch(/^ {2}9 types, \d+ rows, each draft and language one$/m)
      const { password, database: name } = world.config.connection as Knex.MySql2ConnectionConfig
      if (database.name === 'sqlite') expect(said).toMatch(/SQLite, \.tmp\/data\.db \(\d+(\.\d)? MB\)/)
      else expect(said).toMatch(new RegExp(`database ${String(name)} at 127\\.0\\.0\\.1:\\d+`))
      if (typeof password === 'string' && password !== '') expect(said).not.toContain(password)
    })

    if (database.name === 'sqlite')
      it('says it as docs/start.md shows', () => {
        const page = readFileSync(join(__dirname, '..', '..', 'docs', 'start.md'), 'utf8')
        const [, shown] = /```text\n(.*?)```/s.exec(page) ?? []
        const withoutPort = (text = ''): string => text.replace(/:\d{4,5}\//g, ':…/').trim()
        expect(withoutPort(site.said())).toBe(withoutPort(shown))
      })

    it('answers with the pages and the preset of the project', async () => {
      const { data, meta } = await list('/api/articles?populate=author')
      const published = await world
        .knex('articles')
        .whereNotNull('published_at')
        .where('locale', 'en')
        .select('id')
      expect(meta.pagination).toMatchObject({ pageSize: 3, total: published.length })
      expect(data).toHaveLength(3)
      expect(data[0]).toHaveProperty('author')
    })

    it('shows what the public role may not read', async () => {
      const { data } = await list('/api/tags?pagination[pageSize]=1')
      const name = String(data[0]?.['name'])
      expect(await world.knex('tags').where({ name }).select('id')).not.toEqual([])
    })

    it('answers a token of the project as to its user, and refuses one of another', async () => {
      // The recorded database knows an editor, who may read authors, and one who may not.
      const bearer = (id: number, secret = jwtSecret): Record<string, string> => ({
        Authorization: `Bearer ${sign({ id }, secret, { expiresIn: '1h' })}`,
      })
      const askers = [{}, bearer(1), bearer(2), bearer(1, 'other')]
      const answers = await Promise.all(askers.map((headers) => get('/api/authors', headers)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 401])
    })

    it('explains to who asks for it, and answers as Strapi to others', async () => {
      expect((await list('/api/tags')).meta).not.toHaveProperty('explain')
      expect((await list('/api/tags', { 'X-Explain': 'yes' })).meta.explain).toBeDefined()
      expect((await get('/api/tags')).headers.get('server-timing')).toContain('load')
    })

    it('leads to the explorer, and says so where there is nothing', async () => {
      const page = await get('/')
      expect([page.status, page.headers.get('location')]).toEqual([302, '/explorer/'])
      const explorer = await get('/explorer/')
      expect([explorer.status, explorer.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      expect((await get('/nowhere')).status).toBe(404)
    })

    it('serves uploads, in which no code may run', async () => {
      const file = await get('/uploads/note.txt')
      expect([file.status, await file.text()]).toEqual([200, 'kept by Strapi'])
      const page = await get('/uploads/page.html')
      expect(page.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
      expect((await get('/uploads/..%2f..%2fpackage.json')).status).toBe(404)
    })

    it('is for pages of its own alone', async () => {
      const url = `${site.at}/api/tags`
      expect(await statusFor(url, 'evil.example')).toBe(421)
      expect(await statusFor(url, 'localhost.evil.example:80')).toBe(421)
      expect(await statusFor(url, `localhost:${new URL(site.at).port}`)).toBe(200)
      const { headers } = await get('/api/tags')
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    })

    it('says which types the project has code for, and serves them', async () => {
      const file = 'src/api/tag/middlewares/count.js'
      write({ [file]: 'throw new Error("nothing of it is run")' })
      const other = await started([], { cwd: path })
      try {
        expect(other.said()).toContain('code of its own where tag is read, which is not run')
        expect((await fetch(`${other.at}/api/tags`)).status).toBe(200)
      } finally {
        await other.stop()
        rmSync(join(path, 'src/api/tag/middlewares'), { recursive: true })
        before = standOf(path)
      }
    }, 30_000)

    it('writes nothing', async () => {
      await list('/api/articles?populate=*')
      expect(standOf(path)).toEqual(before)
      expect((await fetch(`${site.at}/api/tags`, { method: 'POST' })).status).toBe(405)
    })

    it('tells whoever comes from elsewhere nothing but what that role may read', async () => {
      const other = await started(['--host', '0.0.0.0', '--role', 'public'], { cwd: path })
      try {
        const answer = await fetch(`${other.at}/api/articles`, { headers: { 'X-Explain': 'yes' } })
        expect(((await answer.json()) as Listed).meta).toEqual({ pagination: expect.any(Object) as object })
        expect((await fetch(`${other.at}/api/tags`)).status).toBe(403)
      } finally {
        await other.stop()
      }
    }, 30_000)

    it('answers as to a role that is named', async () => {
      const other = await started(['start', '--role', 'public'], { cwd: path })
      try {
        expect((await fetch(`${other.at}/api/tags`)).status).toBe(403)
        expect((await fetch(`${other.at}/api/articles`)).status).toBe(200)
      } finally {
        await other.stop()
      }
    }, 30_000)

    it('ends at Ctrl-C, and leaves everything as it was', async () => {
      expect((await site.stop()).code).toBe(0)
      expect(standOf(path)).toEqual(before)
    })
  })

  describe('a database that is opened for reading', () => {
    const world = database.restored()

    it('takes no write, whoever sends it', async () => {
      const knex = readOnlyDatabase(world.config, __dirname)
      try {
        const count = async (): Promise<unknown> => knex('tags').count('* as rows')
        const before = await count()
        expect(await refusalOf(knex('tags').insert({ name: 'new' }))).toMatch(/read[- ]?only/i)
        expect(await refusalOf(knex.schema.dropTable('tags'))).toMatch(/read[- ]?only/i)
        expect(await count()).toEqual(before)
      } finally {
        await knex.destroy()
      }
    })
  })
})
