// A process of its own, with a small heap: asks for as many texts as its argument says, of every kind in turn and each as
// another who brings a long role along, and prints what it holds on to after each tenth of them.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { knex } from 'knex'
import { contentRouter, type ContentRouterConfig, migrate } from '../../../lib'
import { seed } from '../../../extensions/seed'
import { library } from '../library'
import { weigh } from '../weigh'
import { kinds } from './texts'
import { anyConditions } from '../query-limits'

const texts = Number(process.argv[2])

const options: Partial<ContentRouterConfig> = {
  cache: { maxEntries: 500 },
  query: { arrayLimit: 1000, ...anyConditions },
  limitsByRole: { public: { maxDepth: 250 } },
  role: (req) => ['public', req.get('x-role') ?? ''],
}

async function main(): Promise<void> {
  const database = knex({ client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true })
  const config = { contentTypes: library, database, permissions: { public: { find: '*' } } } as const
  await migrate(config)
  await seed(config, { book: [{ title: 'Dawn' }], genre: [{ name: 'grey' }] })
  const server = express()
    .use('/api', contentRouter({ ...config, ...options }))
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${String(port)}/api/${path}`, { headers })
    const body = await response.text()
    if (response.status !== 200) throw new Error(`${path.slice(0, 200)}: ${body}`)
    return body
  }
  const lists: string[] = []
  for (const { first } of kinds) {
    const cursor = first === undefined ? undefined : /"endCursor":"([^"]+)"/.exec(await ask(first))?.[1]
    const [list] =
      cursor === undefined ? [''] : (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string])
    lists.push(list)
  }
  for (let text = 0; text < texts; text += 1) {
    const kind = text % kinds.length
    const path = kinds[kind]?.path(text, lists[kind] ?? '') ?? ''
    await ask(path, { 'x-role': String(text) })
    await ask('books', { 'x-role': `${'x'.repeat(12_000)}${String(text)}` })
    if ((text + 1) % (texts / 10) === 0) process.stdout.write(`${String(await weigh())}\n`)
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(String(error))
    process.exit(1)
  },
)
