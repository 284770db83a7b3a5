// Comes in: folders of definitions, or definitions. Goes out: a Schema, frozen, that knows every type, its columns, its
// links and its tables. Refused: definitions that are wrong by themselves or do not fit together, all faults at once.
import { ConfigError } from './errors'
import { namedIn } from './schema/declared'
import { gather, type Warnings } from './schema/gather'
import type { Model, Schema, Uid } from './schema/model'
import { modelsOf } from './schema/models'
import type { DefinitionSource } from './schema/source'

export type * from './schema/link'
export type * from './schema/model'
export type { Definition } from './schema/declared'
export type { DefinitionSource } from './schema/source'
export { isDay, isInYears } from './schema/calendar'
export { didYouMean, nearest } from './schema/nearest'

export function readSchema(source: DefinitionSource, logger?: Warnings): Schema {
  const { declarations, faults, leftOut, ignored } = gather(source)
  if (faults.length > 0) throw new ConfigError(faults)
  for (const facts of leftOut) logger?.warn(facts, 'An attribute leads to a type of a plugin and is left out')
  for (const uid of ignored) logger?.warn({ uid }, 'A type of a plugin is left out')
  return modelsOf(declarations)
}

/** By uid, or by the short name of a content type: `article`. */
export function modelNamed(schema: Schema, name: string): Model | undefined {
  return namedIn(schema.models, name)
}

/** Of a uid that the schema itself names. */
export function modelOf({ models }: Schema, uid: Uid): Model {
  const model = models.get(uid)
  if (model === undefined) throw new Error(`the schema has no ${uid}`)
  return model
}
