import type { Knex } from 'knex'
import { once } from '../memory'
import type { TextTest } from '../operators'
import type { AskerOperand, Test, Value } from '../plan'
import type { BoundAsker } from '../access'

/** `??` is the place of a name, `?` of a value or another piece. Knex builds the text again at each nesting. */
export class Sql {
  constructor(
    readonly text: string,
    readonly parts: readonly unknown[],
  ) {}
}

export const sql = (text: string, parts: readonly unknown[] = []): Sql => new Sql(text, parts)

export const named = (column: string | Sql): Sql =>
  typeof column === 'string' ? sql('??', [column]) : column

export function joined(pieces: readonly Sql[], separator: string): Sql {
  return sql(pieces.map(() => '?').join(separator), pieces)
}

export const all = (pieces: readonly Sql[]): Sql =>
  pieces.length === 0 ? sql('1 = 1') : joined(pieces, ' and ')

/** Long lists would be deep trees, and SQLite's depth limit is 1,000; brackets keep them flat. */
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

/** Number as a literal, for the optimizer. */
export function whole(value: number): Sql {
  if (!Number.isSafeInteger(value)) throw new Error('a number in a statement has to be whole')
  return sql(String(value))
}

export interface Notation {
  readonly name: (name: string) => string
  readonly value: (number: number) => string
  /** False if the host rewrites identifiers. */
  readonly keepsNames: boolean
}

/** Knex quotes names, and applies the host's `wrapIdentifier`. */
export function notationOf(knex: Knex, value: Notation['value']): Notation {
  const known = new Map<string, string>()
  const quote = (name: string): string => {
    // No schema has so many names with the usual aliases.
    if (known.size === 10_000) known.clear()
    return knex.raw('??', [name]).toSQL().sql
  }
  const { config } = knex.client as { readonly config: Knex.Config }
  const keepsNames = config.wrapIdentifier === undefined
  return { name: (name) => once(known, name, () => quote(name)), value, keepsNames }
}

export class AskerPlaceholder {
  constructor(
    readonly operand: AskerOperand,
    readonly bind: (value: Value) => unknown,
  ) {}
}

export type Matching = 'exact' | 'database'

/** Text comparisons. Each condition is NULL where the column is. */
export interface TextMatching {
  readonly equal: (column: Sql, value: string | AskerPlaceholder) => Sql
  readonly equalIgnoringCase: (column: Sql, value: string) => Sql
  readonly ordered: (column: Sql) => Sql
  /** Operand of ORDER BY, cut to the length that the database sorts. */
  readonly sorted: (column: Sql, isLine: boolean) => Sql
  readonly contains: (column: Sql, part: TextPart) => Sql
}

interface TextPart extends Omit<TextTest, 'is'> {
  readonly value: string
  /** True for columns of other types, compared by their text. */
  readonly cast: boolean
}

const places = {
  start: (text: string) => `${text}%`,
  end: (text: string) => `%${text}`,
  anywhere: (text: string) => `%${text}%`,
} as const

export function pattern({ value, place }: TextPart, escape: '!' | '\\'): string {
  const special = escape === '!' ? /[%_!]/g : /[%_\\]/g
  return places[place](value.replace(special, (sign) => escape + sign))
}

/** Placeholder of ids that are known when the statement runs. */
export const idsToCome = { idsToCome: true }

export interface IdList {
  readonly isAmong: (column: string) => Sql
  readonly bind: (ids: readonly unknown[]) => unknown
}

export interface Statement {
  readonly sql: string
  readonly bindings: readonly unknown[]
  /** Columns of the rows whose ids it returns, each named once in the text; empty if there are none. */
  readonly shows: readonly Positions[]
}

/** Index of each column in a row. The id is always first. */
export type Positions = ReadonlyMap<string, number>

/** Values of clients become bindings only. */
export function compile(
  { notation }: { readonly notation: Notation },
  made: Sql,
  shows: readonly Positions[] = [],
): Statement {
  const bindings: unknown[] = []
  const write = ({ text, parts }: Sql): string => {
    let [made, from, next] = ['', 0, 0]
    for (let at = text.indexOf('?'); at >= 0; at = text.indexOf('?', from)) {
      if (next === parts.length) throw new Error(`more places than parts: ${text}`)
      const part = parts[next]
      const isName = text[at + 1] === '?'
      made += text.slice(from, at)
      if (isName) made += notation.name(String(part))
      else if (part instanceof Sql) made += write(part)
      else made += notation.value(bindings.push(part))
      from = at + (isName ? 2 : 1)
      next += 1
    }
    if (next < parts.length) throw new Error(`more parts than places: ${text}`)
    return made + text.slice(from)
  }
  return { sql: write(made), bindings, shows: notation.keepsNames ? shows : [] }
}

export function bindingsOf(
  { bindings }: Statement,
  dialect: { readonly ids: IdList },
  { asker, ids }: { readonly asker: BoundAsker; readonly ids: readonly unknown[] | undefined },
): readonly unknown[] {
  const bound = ids === undefined ? undefined : dialect.ids.bind(ids)
  return bindings.map((binding) => {
    if (binding === idsToCome) return bound
    return binding instanceof AskerPlaceholder ? binding.bind(asker.valueOf(binding.operand)) : binding
  })
}

export interface Comparison {
  readonly compared: (column: Sql) => Sql
  /** Both sides without an index, for types whose indexes find unequal values; else null. */
  readonly asRead: { readonly column: (side: Sql) => Sql; readonly value: (side: Sql) => Sql } | null
  /** Condition for an index on the stored column that follows from the comparison; null if the comparison is one. */
  readonly implied: (column: Sql, test: Test) => Sql | null
}

export const plainComparison: Comparison = { compared: (column) => column, asRead: null, implied: () => null }
