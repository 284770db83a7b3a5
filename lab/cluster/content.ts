import { setTimeout as pause } from 'node:timers/promises'
import { knex as makeKnex, type Knex } from 'knex'
import { migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { library } from '../../spec/support/library'
import { connectionTo } from '../../spec/support/stores'

const say = (): undefined => undefined
const silent = { log: { warn: say, error: say, debug: say, deprecate: say } }

export function configOf(url: string, settings: Partial<Knex.Config> = {}): Knex.Config {
  const at = new URL(url)
  return at.protocol === 'mysql:'
    ? { client: 'mysql2', connection: connectionTo(at, 3306, 'content'), ...silent, ...settings }
    : { client: 'pg', connection: connectionTo(at, 5432, 'postgres'), ...silent, ...settings }
}

/** An author and his country, who are given the same new name over and over, in one transaction. */
export interface Writing {
  /** The latest version that was acknowledged. */
  readonly done: () => number
  /** Writes to another server from now on. */
  readonly moveTo: (url: string) => Promise<void>
  readonly stop: () => Promise<void>
}

export async function fill(url: string): Promise<void> {
  if (url.startsWith('mysql:')) {
    const { connection, ...config } = configOf(url)
    const server = makeKnex({ ...config, connection: { ...(connection as object), database: '' } })
    await server.raw('create database content')
    await server.destroy()
  }
  const database = configOf(url)
  await migrate({ contentTypes: library, database })
  await seed(
    { contentTypes: library, database },
    {
      country: [{ $ref: 'c', name: '0' }],
      author: [{ name: '0', country: 'c' }],
    },
  )
}

export function startWriting(url: string, from: number): Writing {
  let knex = makeKnex(configOf(url, { pool: { min: 0, max: 1 } }))
  let done = from
  let next = from
  const course = { isOver: false }
  const write = async (): Promise<void> => {
    next += 1
    const name = String(next)
    await knex.transaction(async (transaction) => {
      await transaction('authors').update({ name })
      await transaction('countries').update({ name })
    })
    done = next
  }
  const work = (async () => {
    while (!course.isOver) {
      await write().catch(() => pause(50))
      await pause(next % 20 === 0 ? 400 : 15)
    }
  })()
  return {
    done: () => done,
    moveTo: async (other) => {
      const before = knex
      knex = makeKnex(configOf(other, { pool: { min: 0, max: 1 } }))
      await before.destroy()
    },
    stop: async () => {
      course.isOver = true
      await work
      await knex.destroy()
    },
  }
}

/** Resolves once a server shows this version, which takes no longer than a while. */
export async function untilShown(url: string, version: number): Promise<void> {
  const { seen, stop } = watchVersion(url)
  const until = performance.now() + 20_000
  while (seen() < version && performance.now() < until) await pause(20)
  await stop()
  if (seen() < version) throw new Error(`${String(version)} is not shown`)
}

/**
 * What a server that follows another shows by itself, since it last came back: one that was killed lets itself be read as soon
 * as its data agree, which is before it has read again all of the log that it had shown.
 */
export function watchVersion(url: string): {
  readonly seen: () => number
  readonly stop: () => Promise<void>
} {
  const knex = makeKnex(configOf(url, { pool: { min: 0, max: 1 } }))
  let seen = 0
  const course = { isOver: false }
  const work = (async () => {
    while (!course.isOver) {
      const row = await knex('authors')
        .first<{ readonly name: string } | undefined>('name')
        .catch(() => undefined)
      seen = row === undefined ? 0 : Math.max(seen, Number(row.name))
      await pause(5)
    }
  })()
  return {
    seen: () => seen,
    stop: async () => {
      course.isOver = true
      await work
      await knex.destroy()
    },
  }
}
