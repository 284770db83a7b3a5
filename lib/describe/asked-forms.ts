import type { FilledOptions } from '../config'
import type { AnswerOptions } from './answer-options'
import type { JsonPart } from './json-part'
import type { QueriesOfType } from './queries-of'
import type { SchemaNames } from './schema-names'
import type { ShownType } from './shown-types'

export interface AskedMaking {
  readonly types: readonly ShownType[]
  readonly names: SchemaNames
  /** Of the host's own, those of a type, by their names. */
  readonly queriesOf: QueriesOfType
  readonly options: AnswerOptions & Pick<FilledOptions, 'pagination'>
}

/** How a document says what may be asked. */
export interface AskedForms {
  /** The parameters of a list, and those of one entry. */
  readonly list: (type: ShownType) => readonly JsonPart[]
  readonly entry: (type: ShownType) => readonly JsonPart[]
  /** What they refer to. */
  readonly parameters: JsonPart
  readonly schemas: JsonPart
}

export const isAsking = ({ reads }: ShownType): boolean => reads.length > 0

/** The names of the host's queries of a type, and what they ask of whoever asks them. */
export function namedAsks(
  type: ShownType,
  { queriesOf }: AskedMaking,
): { readonly names: readonly string[]; readonly parameters: readonly string[] } {
  const queries = Object.entries(queriesOf(type))
  const parameters = new Set(queries.flatMap(([, query]) => Object.keys(query.parameters ?? {})))
  return { names: queries.map(([name]) => name), parameters: [...parameters] }
}
