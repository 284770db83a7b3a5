import type { NamedQuery } from '../config'
import { modelNamed, type Schema } from '../schema'
import type { AnswerOptions } from './answer-options'
import type { ShownType } from './shown-types'

/** Of the host's own queries, those of a type, by their names. */
export type QueriesOfType = (type: ShownType) => Readonly<Record<string, NamedQuery>>

export function queriesOf(schema: Schema, { queries }: Pick<AnswerOptions, 'queries'>): QueriesOfType {
  const all = Object.entries(queries)
  const isOf = (type: ShownType, { type: name }: NamedQuery): boolean =>
    modelNamed(schema, name) === type.model
  return (type) => Object.fromEntries(all.filter(([, query]) => isOf(type, query)))
}
