// Writes from a process of its own, as an admin panel does, and tells its parent before and after every commit.
const { knex: makeKnex } = require('knex')

const { config, grant, last, outages } = JSON.parse(process.argv[2])
const isSqlite = config.client === 'better-sqlite3'
const pool = { min: 0, max: isSqlite ? 1 : 10 }
/** A server that goes is told of many times. */
const log = outages ? { error: () => undefined, warn: () => undefined } : undefined
const knex = makeKnex({ ...config, useNullAsDefault: true, pool, log })

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const upTo = (most) => Math.floor(Math.random() * most)

/** Bursts and quiet times in turn: a cache that is never filled proves nothing. */
const burst = 250
const quiet = 900
const untilBurst = () => {
  const at = Date.now() % (burst + quiet)
  return at < burst ? 0 : burst + quiet - at
}

const waiting = new Map()
process.on('message', (message) => {
  if (message === 'stop') isOver = true
  else waiting.get(message)?.()
})
const tell = (fact, version) =>
  new Promise((resolve) => {
    waiting.set(fact, resolve)
    process.send({ kind: 'starts', fact, version })
  })

/** What is open while others write, too: nobody waits for it. */
const inTransaction = async (work, { open = 0, end }) => {
  const transaction = await knex.transaction()
  try {
    await work(transaction)
    if (open > 0) await pause(open)
    await end(transaction)
  } catch (error) {
    if (!transaction.isCompleted()) await transaction.rollback()
    throw error
  }
}

const committing = (fact, version, work, open = 0) =>
  inTransaction(work, {
    open,
    end: async (transaction) => {
      await tell(fact, version)
      await transaction.commit()
      // The one before it resolves even where the server went before it could commit.
      await transaction.executionPromise
    },
  })

const directly = async (fact, version, write) => {
  await tell(fact, version)
  await write(knex)
}

/** It may have been granted already by a server that went before it said so. */
const grantOnce = async (db) => {
  const granted = await db('up_permissions_role_lnk').where(grant)
  if (granted.length === 0) await db('up_permissions_role_lnk').insert(grant)
}

const longestOutage = 30_000

/** Whoever writes to a server that goes writes the same again once it is back. */
const throughOutages = async (write) => {
  const end = Date.now() + longestOutage
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!outages || Date.now() > end) throw error
      await pause(50)
    }
  }
}

const writers = {
  row: (version) => directly('row', version, (db) => db('posts').update({ title: String(version) })),
  component: (version) =>
    directly('component', version, (db) => db('components_shared_card').update({ title: String(version) })),
  link: (version, { tags }) =>
    directly('link', version, (db) => db('posts_tags_lnk').update({ tag_id: tags[version % tags.length] })),
  pair: (version) =>
    committing('pair', version, async (db) => {
      await db('writers').update({ name: String(version) })
      await db('places').update({ name: String(version) })
    }),
  long: (version) =>
    committing('long', version, (db) => db('serials').update({ name: String(version) }), 50 + upTo(300)),
  permission: (version) =>
    directly('permission', version, (db) =>
      version % 2 === 1 ? grantOnce(db) : db('up_permissions_role_lnk').where(grant).delete(),
    ),
  undone: () =>
    inTransaction((db) => db('notes').update({ name: 'never' }), {
      open: upTo(60),
      end: (transaction) => transaction.rollback(),
    }),
}

let isOver = false
let turn = Promise.resolve()

/** SQLite has one writer at a time, and whoever waits for it stands still. */
const inTurn = (work) => {
  if (!isSqlite) return work()
  turn = turn.then(work)
  return turn
}

async function writeOn(fact, write, facts) {
  for (let version = (last[fact] ?? 0) + 1; !isOver; version += 1) {
    await pause(untilBurst() + upTo(fact === 'long' ? 400 : 30))
    if (isOver) return
    await inTurn(() => throughOutages(() => write(version, facts)))
    if (fact !== 'undone') process.send({ kind: 'done', fact, version })
  }
}

async function main() {
  const tags = (await knex('tags').select('id', 'name'))
    .sort((one, other) => Number(one.name) - Number(other.name))
    .map(({ id }) => id)
  await Promise.all(Object.entries(writers).map(([fact, write]) => writeOn(fact, write, { tags })))
  await knex.destroy()
  process.disconnect()
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
