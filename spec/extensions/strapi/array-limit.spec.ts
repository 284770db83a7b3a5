import { join } from 'node:path'
import { strapiProject } from '../../../extensions/strapi'
import { onSqlite } from '../../support/databases'
import { collection, text } from '../../support/library'
import { projectFolder } from '../../support/project-folder'
import { stocked } from '../../support/served'

let made = 0
const { path, write } = projectFolder()

function projectWith(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const name = `project-${String((made += 1))}`
  const all = { 'config/api.js': 'module.exports = {}', ...files }
  write(Object.fromEntries(Object.entries(all).map(([file, written]) => [`${name}/${file}`, written])))
  const given = { env: { JWT_SECRET: 'a', API_TOKEN_SALT: 'b', ...env } }
  const database = { client: 'better-sqlite3', connection: { filename: ':memory:' } }
  return strapiProject(join(path, name), { ...given, database })
}

const list = (entry: string): string =>
  `module.exports = ['strapi::logger', { name: 'strapi::cors', config: { arrayLimit: 3 } }, ${entry}, 'strapi::body']`

describe('the arrayLimit of strapi::query in config/middlewares', () => {
  it.each([
    ['is read', list(`{ name: 'strapi::query', config: { arrayLimit: 500 } }`), 500],
    ['may be below the default', list(`{ name: 'strapi::query', config: { arrayLimit: 20 } }`), 20],
  ])('%s', (_title, file, arrayLimit) => {
    const { options, unread } = projectWith({ 'config/middlewares.js': file })
    expect(options.query).toEqual({ arrayLimit })
    expect(unread).toEqual([])
  })

  it('is read with the environment', () => {
    const file = `module.exports = ({ env }) => [{ name: 'strapi::query', config: { arrayLimit: env.int('LISTS', 5) } }]`
    expect(projectWith({ 'config/middlewares.js': file }, { LISTS: '300' }).options.query).toEqual({
      arrayLimit: 300,
    })
  })

  it.each([
    ['without the file', {}],
    ['where the middleware is only named', { 'config/middlewares.js': list(`'strapi::query'`) }],
    [
      'where it says nothing of lists',
      { 'config/middlewares.js': list(`{ name: 'strapi::query', config: { depth: 9 } }`) },
    ],
    [
      'beside middlewares of the project',
      { 'config/middlewares.js': list(`{ resolve: './src/middlewares/own', config: {} }, 'global::own'`) },
    ],
  ])('is the default %s', (_title, files) => {
    const { options, unread } = projectWith(files)
    expect(options).not.toHaveProperty('query')
    expect(unread).toEqual([])
  })

  it.each([
    ['a number that is none', `'many'`],
    ['a package that is missing', `require('most')`],
  ])('is unread for %s', (_title, written) => {
    const file = list(`{ name: 'strapi::query', config: { arrayLimit: ${written} } }`)
    const { options, unread } = projectWith({ 'config/middlewares.js': file })
    expect(options).not.toHaveProperty('query')
    expect(unread).toEqual(['config/middlewares: strapi::query.config.arrayLimit'])
  })

  it('is unread if the file throws', () => {
    const { options, unread } = projectWith({ 'config/middlewares.js': `throw new Error('hidden')` })
    expect(options).not.toHaveProperty('query')
    expect(unread).toEqual([expect.stringMatching(/^config\/middlewares\.js: .*line 1$/)])
  })
})

const types = [collection('book', { title: text })] as unknown as Parameters<typeof stocked>[1]

onSqlite((database) => {
  const { serve } = stocked(database, types, { book: [{ title: 'a' }] })
  const query = `books?${Array.from({ length: 101 }, (_, index) => `filters[title][$in][${String(index)}]=a`).join('&')}`

  it('lets as many elements through as the project says', async () => {
    const { options } = projectWith({
      'config/middlewares.js': list(`{ name: 'strapi::query', config: { arrayLimit: 101 } }`),
    })
    expect(await serve({ query: options.query ?? {} }).values(query, 'title')).toEqual(['a'])
    expect((await serve().refusal(query)).message).toContain('query.arrayLimit')
  })
})
