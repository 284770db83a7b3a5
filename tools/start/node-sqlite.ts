/** The used part of `node:sqlite`, which Node has since 22.16. */
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

/** Options of better-sqlite3's functions. */
interface FunctionOptions {
  readonly deterministic?: boolean
  readonly safeIntegers?: boolean
}

/** SQLite's error numbers that mean more than a wrong statement. */
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

/** Errors get the codes of better-sqlite3. */
function named<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    const { code, errcode } = error as { readonly code?: string; readonly errcode?: number }
    if (code !== 'ERR_SQLITE_ERROR' || typeof errcode !== 'number') throw error
    throw Object.assign(error as Error, { code: `SQLITE_${names[errcode % 256] ?? 'ERROR'}` })
  }
}

/** Bindings may be passed as one list. */
const listed = (bindings: readonly unknown[]): readonly unknown[] => bindings.flat()

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

  /** Node throws at a row with an integer that no double holds, even in an unused column; better-sqlite3 rounds. */
  #read(bindings: readonly unknown[]): unknown[] {
    try {
      return this.#own.all(...bindings)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_OUT_OF_RANGE') throw error
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

/** Node's warning about an experimental module would only confuse readers of content. */
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
 * Node's own SQLite with the used part of `better-sqlite3`'s API. Null if this Node has none, or an early one that
 * cannot report which statements have rows.
 */
export function nodeSqlite(): unknown {
  const found = withoutWarning(() => process.getBuiltinModule('node:sqlite')) as NodeSqlite | undefined
  const { columns, setReturnArrays } = found?.StatementSync.prototype ?? {}
  return found === undefined || columns === undefined || setReturnArrays === undefined
    ? null
    : driverOn(found)
}
