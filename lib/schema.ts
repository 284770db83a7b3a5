// Input: folders of definitions, or definitions. Output: a Schema of all types, their columns, links and
// tables. Rejected: wrong definitions, and definitions that do not fit together, all faults at once.
import { type CustomFieldsOption, type CustomTypes, customTypesIn } from './schema/custom-fields'
import { namedIn } from './schema/declared'
import { privateNamesIn } from './schema/declare'
import { resolveDefinitions, type Warnings } from './schema/resolve-definitions'
import type { Model, Schema, Uid } from './schema/model'
import { buildModels } from './schema/build-models'
import { type DefinitionSource, readSource } from './schema/read-source'

export * from './schema/model'
export { type Definition, isText } from './schema/declared'
export type { Warnings } from './schema/resolve-definitions'
export { adminUserUid, fileUid, localeUid, roleUid, userUid } from './schema/built-in'
export { localeColumn, plainColumn, publishedAtColumn } from './schema/columns'
export * from './schema/custom-fields'
export { type DefinitionSource, deniedAt, deniedFault, isRecord } from './schema/read-source'
export { columnName, folderName } from './schema/names'
export * from './schema/nearest'

export interface SchemaReading {
  readonly customFields?: CustomFieldsOption
  readonly privateAttributes?: readonly string[]
  readonly localeType?: boolean
}

export function readSchema(source: DefinitionSource, logger?: Warnings, how: SchemaReading = {}): Schema {
  const found = readSource(source)
  const { customFields, privateAttributes, localeType: locales = false } = how
  const privateNames = privateNamesIn(privateAttributes)
  const declaredTypes = customTypesIn(customFields)
  const build = (storedTypes: CustomTypes, warnings?: Warnings): Schema => {
    const reading = { privateNames, locales, declaredTypes, storedTypes }
    const { declarations, ...resolved } = resolveDefinitions(found, reading, warnings)
    return buildModels(declarations, { ...resolved, withTypes: (types) => build(types) })
  }
  return build(new Map(), logger)
}

/** The key is a uid, or the short name of a content type: `article`. */
export function modelNamed(schema: Schema, name: string): Model | undefined {
  return namedIn(schema.models, name)
}

export function modelOf({ models }: Schema, uid: Uid): Model {
  const model = models.get(uid)
  if (model === undefined) throw new Error(`the schema has no ${uid}`)
  return model
}
