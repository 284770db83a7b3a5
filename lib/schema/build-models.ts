import { adminUserUid, fileUid } from './built-in'
import { columnsOf, isHidden } from './columns-of'
import type { Declarations, Declared } from './declared'
import { buildLinks, hiddenLinksOf } from './build-links'
import type { Model, Schema, Uid, AttributeOutline, LinkField, ScalarOutline } from './model'
import { tableName } from './names'
import { physicalOf } from './physical-of'
import { isRelation, isScalar, type ScalarAttribute } from './attribute'

type Links = ReadonlyMap<string, LinkField>

const isText = (value: unknown): value is string => typeof value === 'string'

function scalarOutline({ type, required, enum: values }: ScalarAttribute): ScalarOutline {
  const isChoice = type === 'enumeration' && Array.isArray(values) && values.every(isText)
  return { type, required: required === true, values: isChoice ? values : null }
}

function outlineOf(name: string, declared: Declared, links: Links): AttributeOutline | null {
  const attribute = declared.attributes.get(name)
  if (attribute === undefined || isHidden(attribute)) return null
  if (isScalar(attribute)) return scalarOutline(attribute)
  const link = links.get(name)
  if (link === undefined) return null
  const { many, targets } = link
  if (isRelation(attribute)) return { type: 'relation', relation: attribute.relation, targets }
  switch (attribute.type) {
    case 'media':
      return { type: 'media', multiple: many }
    case 'component':
      return { type: 'component', repeatable: many, targets }
    case 'dynamiczone':
      return { type: 'dynamiczone', targets }
  }
}

function outlinesOf(declared: Declared, links: Links): ReadonlyMap<string, AttributeOutline> {
  const outlines = [...declared.attributes.keys()].flatMap((name): [string, AttributeOutline][] => {
    const outline = outlineOf(name, declared, links)
    return outline === null ? [] : [[name, outline]]
  })
  return new Map(outlines)
}

export function routeOf({ kind, builtIn, singularName, pluralName }: Declared): string | null {
  if (builtIn || kind === 'component') return null
  return kind === 'singleType' ? singularName : pluralName
}

function modelOf(all: Declarations, declared: Declared): Model {
  const { uid, kind, singularName, pluralName, draftAndPublish, localized } = declared
  const links = buildLinks(all, declared)
  return {
    uid,
    kind,
    singularName,
    pluralName,
    table: tableName(declared.collectionName),
    route: routeOf(declared),
    draftAndPublish,
    localized,
    hidesLocale: declared.hidden.has('locale'),
    open: uid === fileUid || uid === adminUserUid,
    columns: columnsOf(declared),
    links,
    outlines: outlinesOf(declared, links),
    emptyRelations: declared.emptyRelations,
    physical: { ...physicalOf(all, declared), hiddenLinks: hiddenLinksOf(all, declared) },
  }
}

function refuse(): never {
  throw new TypeError('A schema cannot be changed')
}

/** A frozen Map can still be changed by its methods. */
function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  const isMap = value instanceof Map
  for (const part of isMap ? value.values() : Object.values(value)) freeze(part)
  if (isMap)
    for (const change of ['set', 'delete', 'clear']) Object.defineProperty(value, change, { value: refuse })
  return Object.freeze(value)
}

const withNothingPrivate = (all: Declarations): Declarations =>
  new Map(
    [...all].map(([uid, declared]): [string, Declared] => {
      const attributes = new Map(
        [...declared.attributes].map(([name, attribute]) => [name, { ...attribute, private: false }]),
      )
      return [uid, { ...declared, attributes, hidden: new Set() }]
    }),
  )

export function buildModels(all: Declarations, beside: Omit<Schema, 'models' | 'places' | 'whole'>): Schema {
  const models = [...all.values()].map((declared): [Uid, Model] => [declared.uid, modelOf(all, declared)])
  const places = [...all.values()].map(({ uid, where }): [Uid, string] => [uid, where])
  let made: Schema | undefined
  const whole = (): Schema => (made ??= buildModels(withNothingPrivate(all), beside))
  return freeze({ models: new Map(models), places: new Map(places), whole, ...beside })
}
