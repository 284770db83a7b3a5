import type { Uid } from '../../lib/schema'

/** As it is answered. */
export interface ExampleAnswer {
  readonly data: unknown
  readonly meta: unknown
}

export interface ExampleEntry {
  /** What stands in the path, where anything does. */
  readonly value: string | number | null
  readonly answer: ExampleAnswer
}

/** What was answered to what may be asked of a type; nothing where there was nothing to show. */
export interface TypeExamples {
  readonly list: ExampleAnswer | null
  readonly one: ExampleEntry | null
  /** By the unique attributes of which an entry had a value. */
  readonly by: ReadonlyMap<string, ExampleEntry>
}

export type ExamplesByUid = ReadonlyMap<Uid, TypeExamples>

export const noExamples: TypeExamples = { list: null, one: null, by: new Map() }
