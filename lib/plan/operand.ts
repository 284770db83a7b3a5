import { malformed, type QueryPath } from '../errors'
import type { Column } from '../schema'
import { toDate, toInstant, toTime } from './to-instant'
import type { Planning } from './planning'
import { checkJson } from './json'
import type { Operand } from './level'

/** What a value is compared with, and where in the query. */
export interface ComparedPlace {
  readonly planning: Planning
  readonly column: Column
  readonly path: QueryPath
}

const outOfRange = (path: QueryPath): Error => malformed(path, 'Invalid value: the number is out of range')

function toNumber(text: string, type: string, path: QueryPath): number {
  const value = text.trim() === '' ? NaN : Number(text)
  if (Number.isFinite(value)) return value
  throw malformed(path, `Invalid value: ${type} expects a number`)
}

/**
 * A word is found nowhere among the ids: where the database compares a number with a word, as SQLite and MariaDB do, it
 * finds nothing either. A word that begins like a number is refused, for MariaDB would find that number.
 */
function toId(planning: Planning, text: string, path: QueryPath): number {
  const isWord = /^\s*[^\s\d+.-]/.test(text)
  return isWord && !planning.refusesUnstorable ? noId : toInteger(planning, text, path)
}

const noId = -1

function toInteger(planning: Planning, text: string, path: QueryPath): number {
  const value = toNumber(text, 'integer', path)
  if (planning.refusesUnstorable && (value > 2_147_483_647 || value < -2_147_483_648)) throw outOfRange(path)
  return value
}

/** Infinite where it is past all that 64 bits hold: drivers and databases would make the nearest of these of it. */
function toBigInteger(planning: Planning, text: string, path: QueryPath): bigint | number {
  if (!/^\s*[+-]?\d+(\.0*)?\s*$/.test(text))
    throw malformed(path, 'Invalid value: biginteger expects an integer')
  const value = BigInt(text.trim().replace(/\..*$/, '').replace(/^\+/, ''))
  if (BigInt.asIntN(64, value) === value) return value
  if (planning.refusesUnstorable) throw outOfRange(path)
  return value < 0n ? -Infinity : Infinity
}

function toText(planning: Planning, text: string, path: QueryPath): string {
  if (planning.refusesUnstorable && text.includes('\0')) throw malformed(path, 'Invalid value: NUL byte')
  return text
}

const falsehoods = ['', '0', 'f', 'false']
const truths = ['1', 't', 'true']

/** A word that is no falsehood is true, as Strapi has it. What a host means is not guessed. */
export function toTruth({ guessesTruth }: Planning, text: string, path: QueryPath): boolean {
  const isFalse = falsehoods.includes(text)
  if (guessesTruth || truths.includes(text) || (isFalse && text !== '')) return !isFalse
  throw malformed(path, 'Invalid value: boolean expects true or false')
}

/** JSON for a database that reads it as such. */
export const toJson = (planning: Planning, text: string, path: QueryPath): string =>
  checkJson(text, !planning.refusesUnstorable, path)

/**
 * Reads a client's text as a value of the attribute's type; a word for a number, or a malformed date, is refused. A number
 * that is infinite lies past all that the attribute can hold.
 */
export function toOperand({ planning, column, path }: ComparedPlace, text: string): Operand {
  switch (column.type) {
    case 'id':
      return toId(planning, text, path)
    case 'integer':
      return toInteger(planning, text, path)
    case 'biginteger':
      return toBigInteger(planning, text, path)
    case 'float':
    case 'decimal':
      return toNumber(text, column.type, path)
    case 'boolean':
      return toTruth(planning, text, path)
    case 'date':
      return toDate(text, path)
    case 'time':
      return toTime(text, path)
    case 'datetime':
    case 'timestamp':
      return toInstant(text, path)
    case 'string':
      return toText(planning, text, path)
    case 'json':
      return planning.typedJson ? toJson(planning, text, path) : toText(planning, text, path)
  }
}
