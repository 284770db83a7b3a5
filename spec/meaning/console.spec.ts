import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')

/** A host that asks for a table that is not there, so many times at once and once more a little later. */
const host = (options: string): string => `
const express = require('express')
const { once } = require('node:events')
const { contentRouter } = require('./lib')
const database = { client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true }
const content = contentRouter({ contentTypes: './content-types', database, ${options} })
const server = express().use('/api', content).listen(0, '127.0.0.1')
const ask = async () => {
  const response = await fetch('http://127.0.0.1:' + server.address().port + '/api/tags')
  return (await response.json()).error
}
async function answers() {
  await once(server, 'listening')
  const errors = [await ask(), await ask(), await ask()]
  await new Promise((done) => setTimeout(done, 1100))
  errors.push(await ask())
  await content.close()
  server.closeAllConnections()
  server.close()
  return errors
}
answers().then((errors) => process.stdout.write(JSON.stringify(errors)))
`

interface Heard {
  readonly errors: readonly { readonly status: number; readonly details: { readonly id?: string } }[]
  readonly printed: string
}

async function hear(options: string): Promise<Heard> {
  const words = ['--require', './bench/typescript.cjs', '-e', host(options)]
  const { stdout, stderr } = await run(process.execPath, words, { cwd: root })
  return { errors: JSON.parse(stdout) as Heard['errors'], printed: stderr }
}

/** Two attributes that lead nowhere. */
const tag = {
  kind: 'collectionType',
  collectionName: 'tags',
  info: { singularName: 'tag', pluralName: 'tags', displayName: 'tag' },
  attributes: Object.fromEntries(
    ['lost', 'gone'].map((name) => [
      name,
      { type: 'relation', relation: 'oneToMany', target: 'api::none.none', mappedBy: 'tag' },
    ]),
  ),
}

const open = `permissions: { public: { find: '*' } }`
const failed = 'express-content-router: the tables are not what the definitions say'

describe('a router without a logger', () => {
  it('prints an error with the id of the answer, once a second', async () => {
    const { errors, printed } = await hear(open)
    expect(errors.map(({ status }) => status)).toEqual([500, 500, 500, 500])
    const [first, second, third, last] = errors.map(({ details }) => details.id ?? 'none')
    expect(printed.split(failed)).toHaveLength(3)
    expect(printed).toContain(first)
    expect(printed).toContain(`${failed} (and 2 times since it was said last)`)
    expect(printed).toContain(last)
    expect(printed).not.toContain(second)
    expect(printed).not.toContain(third)
  }, 60_000)

  it('names every attribute that is left out', async () => {
    const types = `definitions: 'strapi', contentTypes: [${JSON.stringify(tag)}]`
    const { printed } = await hear(`${open}, ${types}`)
    for (const name of ['lost', 'gone']) expect(printed).toContain(`attribute: '${name}'`)
  }, 60_000)

  it('prints nothing where that is asked for', async () => {
    const { errors, printed } = await hear(`${open}, logger: false`)
    expect(errors.map(({ status }) => status)).toEqual([500, 500, 500, 500])
    expect(printed).toBe('')
  }, 60_000)

  it('says once that there are no permissions', async () => {
    const { errors, printed } = await hear('')
    expect(errors.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(printed.match(/no permissions are given: every request is answered with 403/g)).toHaveLength(1)
  }, 60_000)

  it('says so, too, of permissions for others than everybody is', async () => {
    const { errors, printed } = await hear(`permissions: { Public: { find: '*' } }`)
    expect(errors.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(printed.match(/everybody has the role public.*answered with 403/g)).toHaveLength(1)
    expect(printed).toContain("roles: [ 'Public' ]")
  }, 60_000)
})

describe('a router with a logger', () => {
  it('prints nothing to the console itself', async () => {
    const logger = '{ debug() {}, info() {}, warn() {}, error() {} }'
    expect((await hear(`logger: ${logger}`)).printed).toBe('')
  }, 60_000)
})
