import type { KeyOfRows } from '../schema'

/** Key of a row, as it is compared with the keys in links. */
export type RowKey = number | string

type ReadKey = (value: unknown) => RowKey

/** Drivers return a 64-bit integer as a number or as a text. */
const readBigInteger: ReadKey = (value) =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value)

const readers: Readonly<Record<KeyOfRows['type'], ReadKey>> = {
  integer: Number,
  biginteger: readBigInteger,
  string: String,
  uuid: String,
}

export const keyReader = ({ key }: { readonly key: KeyOfRows }): ReadKey => readers[key.type]

export function compareKeys(one: RowKey, other: RowKey): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (one === other) return 0
  return one < other ? -1 : 1
}
