import { knex as makeKnex, type Knex } from 'knex'
import { startMariaDb } from './servers/mariadb'
import { startMySql } from './servers/mysql'
import { startPostgres } from './servers/postgres'
import type { Killable } from './servers/private-server'
import { connectionTo } from './stores'

const kinds = {
  mariadb: { client: 'mysql2', start: startMariaDb, port: 3306, first: 'mysql' },
  mysql: { client: 'mysql2', start: startMySql, port: 3306, first: 'mysql' },
  postgres: { client: 'pg', start: startPostgres, port: 5432, first: 'postgres' },
} as const

export type Kind = keyof typeof kinds

export const kindsWithServers: readonly Kind[] = ['mariadb', 'mysql', 'postgres']

export interface OwnDatabase {
  readonly server: Killable
  readonly config: Knex.Config
}

type StartOptions = readonly [options?: readonly string[], environment?: NodeJS.ProcessEnv]

/** An empty database on a server that can be killed. */
export async function startWithDatabase(kind: Kind, ...started: StartOptions): Promise<OwnDatabase> {
  const { client, start, port, first } = kinds[kind]
  const server = await start(undefined, ...started)
  if (server === undefined) throw new Error(`a ${kind} server of the spec's own has to be installed`)
  const at = (name: string): Knex.Config => ({
    client,
    connection: connectionTo(new URL(server.url), port, name),
  })
  const knex = makeKnex(at(first))
  await knex.raw('create database content')
  await knex.destroy()
  return { server, config: at('content') }
}

/** On a connection that is of no use to anybody else. */
export async function onceOn<T>(config: Knex.Config, use: (knex: Knex) => Promise<T>): Promise<T> {
  const knex = makeKnex(config)
  try {
    return await use(knex)
  } finally {
    await knex.destroy()
  }
}
