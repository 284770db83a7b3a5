import type { AskerOperand, Value } from '../plan'
import type { Sql } from './sql'

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

export interface TextPart {
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
