// A process of its own, with a small heap: asks for many different texts, each as large as a request line can be.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { knex } from 'knex'
import { contentRouter, migrate, seed } from '../../../lib'
import { library } from '../library'

const texts = 400
const conditions = 120

const queryOf = (text: number): string =>
  [...Array(conditions).keys()]
    .map(
      (index) =>
        `filters[$or][${String(index % 99)}][$and][${String(index)}][id][$lt]=-${String(text + index)}`,
    )
    .join('&')

async function main(): Promise<void> {
  const database = knex({ client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true })
  const config = { contentTypes: library, database, permissions: { public: { find: '*' } } } as const
  await migrate(config)
  await seed(config, { book: [{ title: 'Dawn' }] })
  const server = express()
    .use('/api', contentRouter({ ...config, query: { arrayLimit: 1000 } }))
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (let text = 0; text < texts; text += 1) {
    const response = await fetch(`http://127.0.0.1:${String(port)}/api/books?${queryOf(text)}`)
    const body = await response.text()
    if (response.status !== 200) throw new Error(body)
  }
  process.stdout.write('all answered\n')
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(String(error))
    process.exit(1)
  },
)
