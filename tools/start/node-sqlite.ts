/** What is used of `node:sqlite`, which comes with Node 22.16 and later. */
interface NodeStatement {
  readonly sourceSQL: string
  all(...bindings: readonly unknown[]): unknown[]
  run(...bindings: readonly unknown[]): object
  columns(): readonly object[]
  setReadBigInts(on: boolean): void
  setReturnArrays(on: boolean): void
}

type Define = (...values: readonly unknown[]) => unknown

interface NodeDatabase {
  prepare(sql: string): NodeStatement
  function(name: string, options: object, define: Define): void
  close(): void
}

interface NodeSqlite {
  readonly DatabaseSync: new (filename: string, options: { readonly readOnly: boolean }) => NodeDatabase
  readonly StatementSync: { readonly prototype: Partial<NodeStatement> }
}

/** Of the other driver's functions. */
interface FunctionOptions {
  readonly deterministic?: boolean
  readonly safeIntegers?: boolean
}

/** Of SQLite's own numbers, those that say something else than that a statement is wrong. */
const names: Readonly<Record<number, string>> = {
  5: 'BUSY',
  6: 'LOCKED',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  15: 'PROTOCOL',
  17: 'SCHEMA',
  26: 'NOTADB',
}

/** Errors are told apart by the names that the other driver has for them. */
function named<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    const { code, errcode } = error as { readonly code?: string; readonly errcode?: number }
    if (code !== 'ERR_SQLITE_ERROR' || typeof errcode !== 'number') throw error
    throw Object.assign(error as Error, { code: `SQLITE_${names[errcode % 256] ?? 'ERROR'}` })
  }
}

/** A list of bindings may be handed in as one. */
const listed = (bindings: readonly unknown[]): readonly unknown[] => bindings.flat()

const isTooLarge = (error: unknown): boolean => (error as { code?: unknown }).code === 'ERR_OUT_OF_RANGE'

const asDouble = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)

const inDoubles = (row: unknown): unknown =>
  Array.isArray(row)
    ? row.map(asDouble)
    : Object.fromEntries(Object.entries(row as object).map(([name, value]) => [name, asDouble(value)]))

class NamedStatement {
  readonly #own: NodeStatement

  constructor(own: NodeStatement) {
    this.#own = own
  }

  get source(): string {
    return this.#own.sourceSQL
  }

  get reader(): boolean {
    return this.#own.columns().length > 0
  }

  safeIntegers(on: boolean): this {
    this.#own.setReadBigInts(on)
    return this
  }

  raw(): this {
    this.#own.setReturnArrays(true)
    return this
  }

  all(...bindings: readonly unknown[]): unknown[] {
    return named(() => this.#read(listed(bindings)))
  }

  /** Node fails at a row with a whole number that no double holds, be it one that is not shown; the other driver rounds. */
  #read(bindings: readonly unknown[]): unknown[] {
    try {
      return this.#own.all(...bindings)
    } catch (error) {
      if (!isTooLarge(error)) throw error
    }
    this.#own.setReadBigInts(true)
    try {
      return this.#own.all(...bindings).map(inDoubles)
    } finally {
      this.#own.setReadBigInts(false)
    }
  }

  run(...bindings: readonly unknown[]): object {
    return named(() => this.#own.run(...listed(bindings)))
  }
}

const driverOn = ({ DatabaseSync }: NodeSqlite): unknown =>
  class {
    readonly #own: NodeDatabase

    constructor(filename: string, { readonly = false }: { readonly?: boolean } = {}) {
      this.#own = named(() => new DatabaseSync(filename, { readOnly: readonly }))
    }

    prepare(sql: string): NamedStatement {
      return new NamedStatement(named(() => this.#own.prepare(sql)))
    }

    function(
      name: string,
      { deterministic = false, safeIntegers = false }: FunctionOptions,
      define: Define,
    ): void {
      this.#own.function(name, { deterministic, useBigIntArguments: safeIntegers }, define)
    }

    pragma(text: string): unknown[] {
      return this.prepare(`pragma ${text}`).all()
    }

    close(): void {
      this.#own.close()
    }
  }

/** Node says of it that it may change, which says nothing to whoever only looks at content. */
function withoutWarning<T>(load: () => T): T {
  const emitWarning: unknown = Reflect.get(process, 'emitWarning')
  process.emitWarning = () => undefined
  try {
    return load()
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning)
  }
}

/**
 * Node's own SQLite in the form of the driver `better-sqlite3`, as far as it is used here. Null where this Node has none, or
 * an early one that cannot tell which statements have rows.
 */
export function nodeSqlite(): unknown {
  const found = withoutWarning(() => process.getBuiltinModule('node:sqlite')) as NodeSqlite | undefined
  const { columns, setReturnArrays } = found?.StatementSync.prototype ?? {}
  return found === undefined || columns === undefined || setReturnArrays === undefined
    ? null
    : driverOn(found)
}
