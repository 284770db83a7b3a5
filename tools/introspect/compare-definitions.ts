import type { Definition } from '../../lib/schema'

type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const partOf = (value: unknown, name: string): JsonObject => {
  const part = isObject(value) ? value[name] : undefined
  return isObject(part) ? part : {}
}

/** Keys that describe the database. Names and `private` are choices of the author. */
const facts = ['type', 'enum', 'required', 'unique', 'relation', 'joinColumn', 'joinTable'] as const

/** The place of an attribute in the database. */
function placeOf(name: string, attribute: JsonObject): string {
  const { columnName, type, mappedBy, target } = attribute
  const column = partOf(attribute, 'joinColumn')['name']
  const join = partOf(attribute, 'joinTable')['name']
  if (type !== 'relation') return `column ${typeof columnName === 'string' ? columnName : name}`
  if (typeof column === 'string') return `column ${column}`
  if (typeof join === 'string') return `join table ${join}`
  return `relation ${String(target)}.${String(mappedBy)}`
}

const byPlace = (definition: unknown): ReadonlyMap<string, JsonObject> =>
  new Map(
    Object.entries(partOf(definition, 'attributes')).map(([name, attribute]) => {
      const one = isObject(attribute) ? attribute : {}
      return [placeOf(name, one), one]
    }),
  )

const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value))

function differencesAt(
  place: string,
  written: JsonObject | undefined,
  found: JsonObject | undefined,
): readonly string[] {
  const isInverse = place.startsWith('relation ')
  if (written === undefined) return isInverse ? [] : [`${place} is new`]
  if (found === undefined) return [`${place} is gone`]
  return facts
    .filter((fact) => JSON.stringify(written[fact]) !== JSON.stringify(found[fact]))
    .map((fact) => `${place}: ${fact} is ${shown(found[fact])}, and the file has ${shown(written[fact])}`)
}

/** The differences between a definition file and the definition that the database has now. */
export function compareDefinitions(written: unknown, found: Definition): readonly string[] {
  const [before, now] = [byPlace(written), byPlace(found)]
  const places = [...new Set([...now.keys(), ...before.keys()])]
  const [tableBefore, tableNow] = [partOf(written, 'table'), partOf(found, 'table')]
  const keys = [...new Set([...Object.keys(tableNow), ...Object.keys(tableBefore)])].filter(
    (key) => key !== 'existing',
  )
  return [
    ...keys
      .filter((key) => JSON.stringify(tableBefore[key]) !== JSON.stringify(tableNow[key]))
      .map((key) => `table.${key} is ${shown(tableNow[key])}, and the file has ${shown(tableBefore[key])}`),
    ...places.flatMap((place) => differencesAt(place, before.get(place), now.get(place))),
  ]
}
