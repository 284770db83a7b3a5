import type { Knex } from 'knex'
import { once } from '../memory'

/**
 * A piece of SQL. Its text is written here, in the code, and says where its parts go: `??` is a name, `?` another piece or
 * a value. Pieces are put together once, when a statement is whole: Knex makes the text of each anew for every piece
 * around it, which cost more than all else that a new query asks for.
 */
export class Sql {
  constructor(
    readonly text: string,
    readonly parts: readonly unknown[],
  ) {}
}

export const sql = (text: string, parts: readonly unknown[] = []): Sql => new Sql(text, parts)

export function joined(pieces: readonly Sql[], separator: string): Sql {
  return sql(pieces.map(() => '?').join(separator), pieces)
}

export const all = (pieces: readonly Sql[]): Sql =>
  pieces.length === 0 ? sql('1 = 1') : joined(pieces, ' and ')

/** A long list is a tree as high as the list is long, of which SQLite takes a thousand levels: so it is put in brackets. */
const mostInBrackets = 4

function inBrackets(pieces: readonly Sql[], separator: string): Sql {
  if (pieces.length <= mostInBrackets) return sql('(?)', [joined(pieces, separator)])
  const size = Math.ceil(pieces.length / mostInBrackets)
  const starts = Array.from({ length: mostInBrackets }, (_, index) => index * size)
  const parts = starts.map((start) => pieces.slice(start, start + size)).filter((part) => part.length > 0)
  return inBrackets(
    parts.map((part) => inBrackets(part, separator)),
    separator,
  )
}

export const allOf = (pieces: readonly Sql[]): Sql =>
  pieces.length === 0 ? sql('1 = 1') : inBrackets(pieces, ' and ')

export const anyOf = (pieces: readonly Sql[]): Sql =>
  pieces.length === 0 ? sql('1 = 0') : inBrackets(pieces, ' or ')

/** A number that the plan of a database is to know. It is part of the text, so it has to be one. */
export function whole(value: number): Sql {
  if (!Number.isSafeInteger(value)) throw new Error('a number in a statement has to be whole')
  return sql(String(value))
}

/** How a database wants names and values in the text of a statement. */
export interface Notation {
  readonly name: (name: string) => string
  readonly value: (number: number) => string
  /** Whether names are quoted as they are, so that a statement tells which columns it names. */
  readonly keepsNames: boolean
}

/** Names are those of the schema behind one of a few aliases; queries with more of these are rare. */
const mostNames = 10_000

/** Knex knows how to quote, and what its user has told it about names. */
export function notationOf(knex: Knex, value: Notation['value']): Notation {
  const known = new Map<string, string>()
  const quote = (name: string): string => {
    if (known.size === mostNames) known.clear()
    return knex.raw('??', [name]).toSQL().sql
  }
  const { config } = knex.client as { readonly config: Knex.Config }
  const keepsNames = config.wrapIdentifier === undefined
  return { name: (name) => once(known, name, () => quote(name)), value, keepsNames }
}

export interface Written {
  readonly text: string
  readonly bindings: readonly unknown[]
}

/** Client text is only ever among the bindings. */
export function write(whole: Sql, { name, value }: Notation): Written {
  const bindings: unknown[] = []
  const written = ({ text, parts }: Sql): string => {
    let [made, from, next] = ['', 0, 0]
    for (let at = text.indexOf('?'); at >= 0; at = text.indexOf('?', from)) {
      if (next === parts.length) throw new Error(`more places than parts: ${text}`)
      const part = parts[next]
      const isName = text[at + 1] === '?'
      made += text.slice(from, at)
      if (isName) made += name(String(part))
      else if (part instanceof Sql) made += written(part)
      else made += value(bindings.push(part))
      from = at + (isName ? 2 : 1)
      next += 1
    }
    if (next < parts.length) throw new Error(`more parts than places: ${text}`)
    return made + text.slice(from)
  }
  return { text: written(whole), bindings }
}
