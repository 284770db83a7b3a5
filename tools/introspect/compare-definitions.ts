import type { Definition } from '../../lib/schema'
import type { CatalogueTable } from './read-catalogue'
import { attributesByPlace, type JsonObject, partOf } from './written-definitions'

/** Keys that describe the database. Names and `private` are choices of the author. */
const facts = ['type', 'enum', 'required', 'unique'] as const

const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value))

type Tables = ReadonlyMap<string, CatalogueTable>

/** Foreign keys need not be declared. A declared one says whether the columns of a join table are swapped. */
function wrongParts(table: string, relation: JsonObject, tables: Tables): readonly string[] {
  const joinTable = partOf(relation, 'joinTable')
  const [column, own] = [relation, joinTable].map((one) => partOf(one, 'joinColumn')['name'])
  const { name: join } = joinTable
  if (typeof join === 'string') {
    const keys = tables.get(join)?.foreignKeys
    if (keys === undefined) return [`the database does not have the join table ${join}`]
    const target = keys.find(({ columns }) => columns.join() === own)?.target ?? table
    const problem = `in the join table ${join}, ${String(own)} refers to ${target}. Swap joinColumn and inverseJoinColumn`
    return target === table ? [] : [problem]
  }
  const isFound = tables.get(table)?.columns.some(({ name }) => name === column) === true
  return typeof column === 'string' && !isFound ? [`the database does not have the column ${column}`] : []
}

/** The differences between a definition file and the definition that the database has now. */
export function compareDefinitions(written: unknown, found: Definition, tables: Tables): readonly string[] {
  const [before, now] = [attributesByPlace(written), attributesByPlace(found)]
  const places = [...new Set([...now.keys(), ...before.keys()])]
  const [tableBefore, tableNow] = [partOf(written, 'table'), partOf(found, 'table')]
  const keys = [...new Set([...Object.keys(tableNow), ...Object.keys(tableBefore)])].filter(
    (key) => key !== 'existing',
  )
  return [
    ...keys
      .filter((key) => JSON.stringify(tableBefore[key]) !== JSON.stringify(tableNow[key]))
      .map((key) => `table.${key} is ${shown(tableNow[key])}, and the file has ${shown(tableBefore[key])}`),
    ...places.flatMap((place) => {
      const [one, other] = [before.get(place)?.[1], now.get(place)?.[1]]
      if (one === undefined) return place.startsWith('column ') ? [`the file does not have the ${place}`] : []
      if (one['type'] === 'relation') return wrongParts(found.collectionName, one, tables)
      if (other === undefined) return [`the database does not have the ${place}`]
      return facts
        .filter((fact) => JSON.stringify(one[fact]) !== JSON.stringify(other[fact]))
        .map((fact) => `${place}: ${fact} is ${shown(other[fact])}, and the file has ${shown(one[fact])}`)
    }),
  ]
}
