import { columnName as defaultColumn, type Definition, isRecord } from '../../lib/schema'

export type JsonObject = Readonly<Record<string, unknown>>

export const partOf = (value: unknown, name: string): JsonObject => {
  const part = isRecord(value) ? value[name] : undefined
  return isRecord(part) ? part : {}
}

/** Definition files of existing tables, by table. */
export type WrittenDefinitions = ReadonlyMap<string, JsonObject>

/** The place of an attribute in the database. */
export function attributePlace(name: string, attribute: JsonObject): string {
  const { columnName, type, mappedBy, target } = attribute
  const column = partOf(attribute, 'joinColumn')['name']
  const join = partOf(attribute, 'joinTable')['name']
  if (type !== 'relation')
    return `column ${typeof columnName === 'string' ? columnName : defaultColumn(name)}`
  if (typeof column === 'string') return `column ${column}`
  if (typeof join === 'string') return `join table ${join}`
  return `relation ${String(target)}.${String(mappedBy)}`
}

export const attributesByPlace = (definition: unknown): ReadonlyMap<string, readonly [string, JsonObject]> =>
  new Map(
    Object.entries(partOf(definition, 'attributes')).map(([name, attribute]) => {
      const one = isRecord(attribute) ? attribute : {}
      return [attributePlace(name, one), [name, one]]
    }),
  )

/** Removes the relations and inverse names that need a change of another file, which stays as it is. */
export function withoutMissing(definition: Definition, staying: readonly unknown[]): Definition {
  const attributes = Object.entries(definition.attributes).flatMap(([name, attribute]) => {
    const { target, mappedBy, inversedBy, ...others } = attribute
    const file = staying.find((one) => partOf(one, 'info')['singularName'] === target)
    const isMissing = (side: unknown): boolean =>
      typeof side === 'string' && file !== undefined && !(side in partOf(file, 'attributes'))
    if (isMissing(mappedBy)) return []
    return [[name, isMissing(inversedBy) ? { ...others, target } : attribute] as const]
  })
  return { ...definition, attributes: Object.fromEntries(attributes) }
}
