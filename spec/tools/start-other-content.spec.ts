import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { migrate, seed } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { projectFolder } from '../support/project-folder'
import { started, type Started } from '../support/started'
import { standOf } from '../support/strapi-folder'

const bodyOf = async (address: string): Promise<{ data: Record<string, unknown>[] }> =>
  (await (await fetch(address)).json()) as { data: Record<string, unknown>[] }

describe('express-content-router in an empty folder', () => {
  const { path } = projectFolder()
  let site: Started
  beforeAll(async () => {
    site = await started([], { cwd: path })
  }, 30_000)
  afterAll(() => site.stop())

  it('shows the sample, with its pictures and what nobody but its editors sees', async () => {
    expect(site.said()).toContain('so this is the sample')
    const { data } = await bodyOf(`${site.at}/api/articles?populate=cover&filters[cover][id][$notNull]=true`)
    const [article] = data
    const { url } = article?.['cover'] as { readonly url: string }
    const picture = await fetch(site.at + url)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([
      200,
      'image/svg+xml; charset=utf-8',
    ])
    expect((await bodyOf(`${site.at}/api/letters`)).data.length).toBeGreaterThan(0)
  })

  it('leaves the folder empty', () => {
    expect(readdirSync(path)).toEqual([])
  })
})

onSqlite((database) => {
  describe('express-content-router in a folder with a config', () => {
    const world = database.fresh()
    const note = collection('note', { title: text, tags: relation('manyToMany', 'api::tag.tag') })
    const tag = collection('tag', { name: text })
    const { path, write } = projectFolder({
      'content-types/note.json': JSON.stringify(note),
      'content-types/tag.json': JSON.stringify(tag),
    })
    const configFor = (permissions: object, more = ''): string =>
      `export default ${JSON.stringify({ contentTypes: './content-types', database: world.config, permissions }).slice(0, -1)}${more}}`

    beforeAll(async () => {
      const config = { contentTypes: join(path, 'content-types'), database: world.config }
      await migrate(config)
      await seed(config, { tag: [{ $ref: 'one', name: 'One' }], note: [{ title: 'First', tags: ['one'] }] })
      write({ 'content-router.config.mjs': configFor({ member: { find: ['note'] } }) })
    })

    const serving = async <T>(words: readonly string[], use: (site: Started) => Promise<T>): Promise<T> => {
      const site = await started(words, { cwd: join(path, '..') })
      try {
        return await use(site)
      } finally {
        await site.stop()
      }
    }

    it('shows all of it, as seen from that folder, and writes nothing there', async () => {
      const before = standOf(path)
      const { data } = await serving([path], ({ at }) => bodyOf(`${at}/api/notes?populate=tags`))
      expect(data).toMatchObject([{ title: 'First', tags: [{ name: 'One' }] }])
      expect(standOf(path)).toEqual(before)
    })

    it('shows what a role of the config may see', async () => {
      const statuses = await serving(['start', path, '--role', 'member'], ({ at }) =>
        Promise.all(['notes', 'tags'].map(async (name) => (await fetch(`${at}/api/${name}`)).status)),
      )
      expect(statuses).toEqual([200, 403])
    })

    it('takes another config, named as seen from where the command is typed', async () => {
      write({ 'other.mjs': configFor({}, ', role: () => null, permissions: () => false') })
      const { data } = await serving(['--config', join(path, 'other.mjs'), path], ({ at }) =>
        bodyOf(`${at}/api/notes`),
      )
      expect(data).toMatchObject([{ title: 'First' }])
    })

    it('is left alone where flags say it all', async () => {
      const { client, connection } = world.config as { client: string; connection: Record<string, string> }
      const { user = '', password = '', host = '', port = '', database: name = '', filename } = connection
      const url = `${client === 'pg' ? 'postgres' : 'mysql'}://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`
      const flags = ['--client', client, '--connection', filename ?? url]
      const { data } = await serving(
        ['start', '--content-types', join(path, 'content-types'), ...flags],
        ({ at }) => bodyOf(`${at}/api/tags`),
      )
      expect(data).toMatchObject([{ name: 'One' }])
    })
  })
})
