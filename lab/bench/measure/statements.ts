// Counts what a process sends to its database. Loaded before anything else, so that every user of a driver is counted.
import { createRequire } from 'node:module'

let sent = 0

export const statementsSent = (): number => sent

type Method = (this: unknown, ...given: unknown[]) => unknown

function count(owner: object, name: string): void {
  const methods = owner as Record<string, Method>
  const method = methods[name]
  if (method === undefined) return
  methods[name] = function (...given) {
    sent += 1
    return method.apply(this, given)
  }
}

interface Sqlite {
  new (file: string): { prepare(sql: string): object; close(): void }
}

interface Drivers {
  readonly mysql2: { readonly Connection: { readonly prototype: object } }
  readonly pg: { readonly Client: { readonly prototype: object } }
  readonly 'better-sqlite3': Sqlite
}

/** `folder`: whose node_modules holds the drivers. */
export function countStatements(folder: string): void {
  const require = createRequire(`${folder}/`)
  const load = <Name extends keyof Drivers>(name: Name): Drivers[Name] | undefined => {
    try {
      return require(name) as Drivers[Name]
    } catch {
      return undefined
    }
  }
  const prototype = load('mysql2')?.Connection.prototype
  if (prototype !== undefined) {
    const methods = Object.hasOwn(prototype, 'query') ? prototype : parentOf(prototype)
    for (const name of ['query', 'execute']) count(methods, name)
  }
  const postgres = load('pg')?.Client.prototype
  if (postgres !== undefined) count(postgres, 'query')
  const Sqlite = load('better-sqlite3')
  if (Sqlite === undefined) return
  const memory = new Sqlite(':memory:')
  const statement = parentOf(memory.prepare('select 1'))
  for (const name of ['all', 'get', 'run', 'iterate']) count(statement, name)
  memory.close()
}

function parentOf(thing: object): object {
  return Object.getPrototypeOf(thing) as object
}
