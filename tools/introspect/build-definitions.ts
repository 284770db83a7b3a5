import type { Definition } from '../../lib/schema'
import { attributeNames, isSecret, type TakeName } from './attribute-names'
import { isInstant } from './column-type'
import type { DecidedTables, LinkingTable, IdColumn, ServedTable, TableLink, Unserved } from './decide-tables'
import type { CatalogueTable } from './read-catalogue'
import { camelCase, pascalCase, pluralOf, typeNames, type RouteNames, wordsOf } from './type-names'
import { attributesByPlace, partOf, attributePlace, type WrittenDefinitions } from './written-definitions'

type AttributeDefinition = Definition['attributes'][string]

/** A type while its attributes are collected. */
interface TypeDraft extends ServedTable {
  readonly names: RouteNames
  readonly take: TakeName
  /** Attributes of its own columns, by column. */
  readonly own: Map<string, readonly [string, AttributeDefinition]>
  /** Attributes that other tables store. */
  readonly others: (readonly [string, AttributeDefinition])[]
  readonly timestamps: Record<string, string | object>
  /** Attributes of its file, by place. */
  readonly kept: ReturnType<typeof attributesByPlace>
}

type Drafts = ReadonlyMap<string, TypeDraft>

export interface BuiltDefinitions {
  /** By table. */
  readonly definitions: ReadonlyMap<string, Definition>
  readonly unserved: readonly Unserved[]
  /** Columns with private attributes. */
  readonly secrets: readonly string[]
}

const isUnique = ({ keys }: CatalogueTable, column: string): boolean =>
  keys.some((key) => key.length === 1 && key[0] === column)

/** The default of `columnName` separates words and digits by `_`. */
const isOneWord = (name: string): boolean => /^[a-z]+$/.test(name)

/** The attributes of columns; timestamps are those of the table. */
function addColumns({ table, key, links, take, own, timestamps }: TypeDraft, unserved: Unserved[]): void {
  const isLink = (name: string): boolean => links.some(({ column }) => column === name)
  for (const column of table.columns) {
    const { name, mapping, isRequired } = column
    if (name === key.name || isLink(name)) continue
    if (mapping.type === null) {
      unserved.push({ place: `${table.name}.${name}`, reason: mapping.reason })
      continue
    }
    const { type, ...values } = mapping
    const attribute = camelCase(wordsOf(name))
    const isTimestamp = isInstant(mapping) && /^(created|updated)At$/.test(attribute)
    if (isTimestamp && timestamps[attribute] === undefined) {
      timestamps[attribute] = type === 'datetime' ? name : { name, type }
      continue
    }
    const taken = take(`column ${name}`, attribute, name)
    const isKey = isUnique(table, name)
    own.set(name, [
      taken,
      {
        // Only short texts identify entries.
        type: type === 'text' && isKey ? 'string' : type,
        ...values,
        ...(taken === name && isOneWord(name) ? {} : { columnName: name }),
        ...(isRequired && !table.isView ? { required: true } : {}),
        ...(isKey ? { unique: true } : {}),
        ...(isSecret(name) ? { private: true } : {}),
      },
    ])
  }
}

const endsWith = (words: readonly string[], end: readonly string[]): boolean =>
  words.length > end.length && end.every((word, place) => word === words.at(place - end.length))

/** `language_id` is language. The target's name stands in for names such as `emp_no` and `A`. */
function relationWords({ column }: TableLink, { names, key }: TypeDraft): readonly string[] {
  const words = wordsOf(column)
  const target = names.singularName.split('-')
  const keyWords = wordsOf(key.name)
  if (endsWith(words, ['id'])) return words.slice(0, -1)
  if (endsWith(words, keyWords)) return words.slice(0, -keyWords.length)
  const joined = words.join('')
  const isBare = joined.length === 1 || joined === keyWords.join('') || joined === `${target.join('')}id`
  return isBare ? target : words
}

function draftOf(drafts: Drafts, { target }: TableLink): TypeDraft {
  const draft = drafts.get(target)
  if (draft === undefined) throw new Error(`the table ${target} has no type`)
  return draft
}

interface NamedLink {
  readonly owner: TypeDraft
  readonly target: TypeDraft
  readonly link: TableLink
  readonly name: string
  readonly isOneToOne: boolean
}

function namedLinks(drafts: Drafts): readonly NamedLink[] {
  return [...drafts.values()].flatMap((owner) =>
    owner.links.map((link) => {
      const target = draftOf(drafts, link)
      const names = [relationWords(link, target), wordsOf(link.column)].map(camelCase)
      const name = owner.take(`column ${link.column}`, ...names)
      return { owner, target, link, name, isOneToOne: isUnique(owner.table, link.column) }
    }),
  )
}

const suffixed = (words: readonly string[], by: string): string =>
  `${camelCase(words)}By${pascalCase(wordsOf(by))}`

const relation = (kind: string, target: TypeDraft, more: object): AttributeDefinition => ({
  type: 'relation',
  relation: kind,
  target: target.names.singularName,
  ...more,
})

/** The side that owns the relation is the first column's. */
function addJoin(drafts: Drafts, { name, links: [first, second], orderColumn }: LinkingTable): void {
  const [owner, target] = [draftOf(drafts, first), draftOf(drafts, second)]
  const takeFor = (draft: TypeDraft, place: string, words: readonly string[]): string =>
    draft.take(place, camelCase(pluralOf(words)), suffixed(pluralOf(words), name))
  const own = takeFor(owner, `join table ${name}`, relationWords(second, target))
  const place = `relation ${owner.names.singularName}.${own}`
  const inverse = takeFor(target, place, relationWords(first, owner))
  const joinTable = {
    name,
    joinColumn: { name: first.column },
    inverseJoinColumn: { name: second.column },
    ...(orderColumn === null ? {} : { orderColumn: { name: orderColumn } }),
  }
  owner.others.push([own, relation('manyToMany', target, { inversedBy: inverse, joinTable })])
  target.others.push([inverse, relation('manyToMany', owner, { mappedBy: own })])
}

/** One of several foreign keys to a table keeps the plain inverse name if it is named as the table. */
function addRelation({ owner, target, link, name, isOneToOne }: NamedLink, all: readonly NamedLink[]): void {
  const { singularName, pluralName } = owner.names
  const plain = (isOneToOne ? singularName : pluralName).split('-')
  const isOnly = all.filter((one) => one.owner === owner && one.target === target).length === 1
  const isMain = name === camelCase(target.names.singularName.split('-'))
  const names = [camelCase(plain), suffixed(plain, name)]
  const place = `relation ${singularName}.${name}`
  const inverse = target.take(place, ...(isOnly || isMain ? names : names.slice(1)))
  const [kind, back] = isOneToOne ? ['oneToOne', 'oneToOne'] : ['manyToOne', 'oneToMany']
  const joinColumn = { name: link.column }
  owner.own.set(link.column, [name, relation(kind, target, { inversedBy: inverse, joinColumn })])
  target.others.push([inverse, relation(back, owner, { mappedBy: name })])
}

function idOf({ name, type }: IdColumn): object {
  if (type !== 'integer') return { id: { name, type } }
  return name === 'id' ? {} : { id: name }
}

function definitionOf(
  { table, key, names, own, others, timestamps, kept }: TypeDraft,
  schema: string | null,
): Definition {
  const inOrder = table.columns.flatMap(({ name }) => {
    const attribute = own.get(name)
    return attribute === undefined ? [] : [attribute]
  })
  const attributes = [...inOrder, ...others].map(
    ([name, attribute]): readonly [string, AttributeDefinition] => {
      const isPrivate = kept.get(attributePlace(name, attribute))?.[1]['private'] === true
      return [name, isPrivate ? { ...attribute, private: true } : attribute]
    },
  )
  return {
    kind: 'collectionType',
    collectionName: table.name,
    info: { ...names },
    table: { ...(schema === null ? {} : { schema }), ...idOf(key), ...timestamps },
    attributes: Object.fromEntries(attributes),
  }
}

function draftFrom(one: ServedTable, derived: RouteNames, written: unknown): TypeDraft {
  const names = { ...derived, ...partOf(written, 'info') }
  const isThere = (place: string): boolean =>
    !place.startsWith('column ') || one.table.columns.some(({ name }) => place === `column ${name}`)
  const kept = new Map([...attributesByPlace(written)].filter(([place]) => isThere(place)))
  const take = attributeNames(names.singularName, new Map([...kept].map(([place, [name]]) => [place, name])))
  return { ...one, own: new Map(), others: [], timestamps: {}, names, kept, take }
}

/** Definitions of the decided tables. `schema`: the schema of PostgreSQL, if it is not the default one. */
export function buildDefinitions(
  { served, joins, unserved: undecided }: DecidedTables,
  schema: string | null,
  written: WrittenDefinitions,
): BuiltDefinitions {
  const names = typeNames(served.map(({ table }) => table.name))
  const drafts: Drafts = new Map(
    served.map((one) => {
      const derived = names.get(one.table.name) ?? { singularName: '', pluralName: '', displayName: '' }
      return [one.table.name, draftFrom(one, derived, written.get(one.table.name))]
    }),
  )
  const unserved = [...undecided]
  for (const draft of drafts.values()) addColumns(draft, unserved)
  const links = namedLinks(drafts)
  for (const join of joins) addJoin(drafts, join)
  for (const link of links) addRelation(link, links)
  const secrets = [...drafts.values()].flatMap(({ table, own }) =>
    [...own].flatMap(([column, [, { private: isPrivate }]]) =>
      isPrivate === true ? [`${table.name}.${column}`] : [],
    ),
  )
  return {
    definitions: new Map([...drafts].map(([table, draft]) => [table, definitionOf(draft, schema)])),
    unserved,
    secrets,
  }
}
