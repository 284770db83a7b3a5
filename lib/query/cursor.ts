import { malformed, type QueryPath, type RequestError } from '../errors'
import type { Raw } from './raw'

/** Sort key without loss; null for NULL. */
export type HeldKey = { readonly is: 'text' | 'number' | 'bytes'; readonly value: string } | null

/** Position in a list. */
export interface Cursor {
  /** Identifies the query. */
  readonly list: string
  readonly keys: readonly HeldKey[]
  readonly id: number
}

/** Leaves room in the URL of the next page. */
const mostLetters = 4096

/** MySQL sorts by so many bytes: longer keys would page in another order. */
const mostBytes = 1023

const kinds = { t: 'text', n: 'number', b: 'bytes' } as const

const isKind = (letter: string): letter is keyof typeof kinds => Object.hasOwn(kinds, letter)

function readKey(told: unknown): HeldKey | undefined {
  if (told === null) return null
  if (typeof told !== 'string') return undefined
  const kind = told.charAt(0)
  return isKind(kind) ? { is: kinds[kind], value: told.slice(1) } : undefined
}

function toldIn(text: string): readonly unknown[] | undefined {
  if (text.length > mostLetters || !/^[\w-]+$/.test(text)) return undefined
  try {
    const told: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(told) ? (told as readonly unknown[]) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function read(text: string): Cursor | undefined {
  const [list, id, ...rest] = toldIn(text) ?? []
  const keys = rest.map(readKey)
  if (typeof list !== 'string' || typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined
  return keys.includes(undefined) ? undefined : { list, id, keys: keys.filter((key) => key !== undefined) }
}

export const wrongCursor = (path: QueryPath): RequestError =>
  malformed(path, 'Invalid cursor: it is not one that a page of this query has told')

/** Null: the first page, or the last. */
export function readCursor(raw: Raw, path: QueryPath): Cursor | null {
  if (raw === null || raw === '') return null
  const cursor = typeof raw === 'string' ? read(raw) : undefined
  if (cursor === undefined) throw wrongCursor(path)
  return cursor
}

const isLong = (key: HeldKey): boolean => key !== null && Buffer.byteLength(key.value) > mostBytes

/** Null if a key is too long. */
export function writeCursor({ list, id, keys }: Cursor): string | null {
  if (keys.some(isLong)) return null
  const told = keys.map((key) => (key === null ? null : key.is.charAt(0) + key.value))
  const text = Buffer.from(JSON.stringify([list, id, ...told])).toString('base64url')
  return text.length > mostLetters ? null : text
}
