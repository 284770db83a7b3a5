import type { Knex } from 'knex'
import { once } from '../memory'
import type { AskerOperand, Value } from '../plan'
import type { BoundAsker } from '../access'

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

/** Stands in the bindings of a statement for a value of whoever asks. */
export class OfAsker {
  constructor(
    readonly operand: AskerOperand,
    readonly bind: (value: Value) => unknown,
  ) {}
}

export const textOfAsker = (operand: AskerOperand): OfAsker => new OfAsker(operand, (value) => value)

/** String comparison: the same on every database, or the database's own. */
export type Matching = 'exact' | 'database'

/** The pieces of SQL that compare texts. Each takes the column and gives a condition that is NULL where it is NULL. */
export interface TextMatching {
  readonly equal: (column: Sql, value: string | OfAsker) => Sql
  readonly equalIgnoringCase: (column: Sql, value: string) => Sql
  /** What strings are compared by where one comes before another. */
  readonly ordered: (column: Sql) => Sql
  /** What rows are put in order by: as much of it as the database sorts, whatever any of the texts is. */
  readonly sorted: (column: Sql, isLine: boolean) => Sql
  readonly contains: (column: Sql, part: TextPart) => Sql
}

interface TextPart {
  readonly value: string
  readonly place: 'start' | 'end' | 'anywhere'
  readonly ignoreCase: boolean
  /** The column is not of a text type: its text form is meant. */
  readonly cast: boolean
}

const places = {
  start: (text: string) => `${text}%`,
  end: (text: string) => `%${text}`,
  anywhere: (text: string) => `%${text}%`,
} as const

/** A LIKE pattern that finds the text itself: `%`, `_` and the escape sign are literal. */
export function pattern({ value, place }: TextPart, escape: '!' | '\\'): string {
  const special = escape === '!' ? /[%_!]/g : /[%_\\]/g
  return places[place](value.replace(special, (sign) => escape + sign))
}

/** Stands in the bindings for the ids that are only known when the statement runs. */
export const idsToCome = { idsToCome: true }

/** A list of ids, which is known when the statement runs, as one binding. */
export interface IdList {
  readonly isAmong: (column: string) => Sql
  readonly bind: (ids: readonly unknown[]) => unknown
}

/** SQL text in the database's own form, compiled once; what stands for ids among the bindings is filled in for every run. */
export interface Statement {
  readonly sql: string
  readonly bindings: readonly unknown[]
  /** Whether it compares with values of whoever asks. */
  readonly isPersonal: boolean
  /**
   * The columns that it reads of rows which it tells the ids of, each of which stands for that once in its text; none where
   * what it reads is no such rows.
   */
  readonly shows: readonly Positions[]
}

/** Where in a row the value of each physical column stands. The id is always first. */
export type Positions = ReadonlyMap<string, number>

export function compile(
  { notation }: { readonly notation: Notation },
  made: Sql,
  shows: readonly Positions[] = [],
): Statement {
  const { text: sql, bindings } = write(made, notation)
  const isPersonal = bindings.some((binding) => binding instanceof OfAsker)
  return { sql, bindings, isPersonal, shows: notation.keepsNames ? shows : [] }
}

/** For whom a statement is run, and what it is about. */
interface StatementRun {
  readonly asker: BoundAsker
  readonly ids: readonly unknown[] | undefined
}

export function bindingsOf(
  { bindings, isPersonal }: Statement,
  dialect: { readonly ids: IdList },
  { asker, ids }: StatementRun,
): readonly unknown[] {
  if (ids === undefined && !isPersonal) return bindings
  const bound = ids === undefined ? undefined : dialect.ids.bind(ids)
  return bindings.map((binding) => {
    if (binding === idsToCome) return bound
    return binding instanceof OfAsker ? binding.bind(asker.valueOf(binding.operand)) : binding
  })
}
