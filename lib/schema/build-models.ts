import { adminUserUid, fileUid } from './built-in'
import { columnsOf } from './columns'
import { foreignKeyOf, joinOf, keyOfRows, morphJoinOf, physicalOf, tableOf } from './physical'
import {
  type Declarations,
  type Declared,
  isRelation,
  isScalar,
  isText,
  type Attribute,
  holdsKey,
  isMorphInverse,
  isMorphOwner,
  isPair,
  isToMany,
  type MorphInverse,
  type MorphOwner,
  type PairRelation,
  type RelationAttribute,
  namedIn,
  isComponent,
  isHidden,
} from './declared'
import type { Model, Schema, Uid, AttributeOutline, LinkField, Link, Mixed } from './model'
import { componentTableName, keyName } from './names'

function outlineOf(attribute: Attribute, link: LinkField | undefined): AttributeOutline | null {
  if (isHidden(attribute)) return null
  if (isScalar(attribute)) {
    const { type, required, enum: values } = attribute
    const isChoice = type === 'enumeration' && Array.isArray(values) && values.every(isText)
    return { type, required: required === true, values: isChoice ? values : null }
  }
  if (link === undefined) return null
  const { many, targets } = link
  switch (attribute.type) {
    case 'relation':
      return { type: 'relation', relation: attribute.relation, targets }
    case 'media':
      return { type: 'media', multiple: many }
    case 'component':
      return { type: 'component', repeatable: many, targets }
    case 'dynamiczone':
      return { type: 'dynamiczone', targets }
  }
}

export function routeOf({ kind, builtIn, singularName, pluralName }: Declared): string | null {
  if (builtIn || kind === 'component') return null
  return kind === 'singleType' ? singularName : pluralName
}

function modelOf(all: Declarations, declared: Declared): Model {
  const { uid, kind, singularName, pluralName, draftAndPublish, localized } = declared
  const builtIn = [
    ...(declared.showsCreators ? creators(all, declared) : []),
    ...(localized ? [localizations(declared)] : []),
  ]
  const links = byName([
    ...ownLinks(all, declared, false),
    ...builtIn.filter(({ name }) => !declared.hidden.has(name)),
  ])
  const outlines = [...declared.attributes].flatMap(([name, attribute]): [string, AttributeOutline][] => {
    const outline = outlineOf(attribute, links.get(name))
    return outline === null ? [] : [[name, outline]]
  })
  return {
    uid,
    kind,
    singularName,
    pluralName,
    table: tableOf(declared),
    key: keyOfRows(declared),
    route: routeOf(declared),
    draftAndPublish,
    localized,
    hidesLocale: declared.existing !== null || declared.hidden.has('locale'),
    open: uid === fileUid || uid === adminUserUid,
    columns: columnsOf(declared),
    links,
    outlines: new Map(outlines),
    emptyRelations: declared.emptyRelations,
    physical: { ...physicalOf(all, declared), hiddenLinks: byName(ownLinks(all, declared, true)) },
  }
}

export function buildModels(
  all: Declarations,
  beside: Omit<Schema, 'models' | 'places' | 'schemas' | 'whole'>,
): Schema {
  const models = [...all.values()].map((declared): [Uid, Model] => [declared.uid, modelOf(all, declared)])
  const places = [...all.values()].map(({ uid, where }): [Uid, string] => [uid, where])
  const schemas = new Set([...all.values()].flatMap(({ existing }) => existing?.schema ?? []))
  const shown = (declared: Declared): Declared => {
    const attributes = [...declared.attributes].map(
      ([name, one]) => [name, { ...one, private: false }] as const,
    )
    return { ...declared, attributes: new Map(attributes), hidden: new Set() }
  }
  let made: Schema | undefined
  const whole = (): Schema =>
    (made ??= buildModels(new Map([...all].map(([uid, one]) => [uid, shown(one)])), beside))
  return { models: new Map(models), places: new Map(places), schemas: [...schemas], whole, ...beside }
}

interface LinkPlace {
  readonly all: Declarations
  readonly owner: Declared
  readonly name: string
}

function declared({ all, name }: LinkPlace, target: string): Declared {
  const found = namedIn(all, target)
  if (found === undefined) throw new Error(`${name}: the checks let ${target} pass`)
  return found
}

/** The owner's own row holds the key. */
function keyLink(owner: Declared, theirs: string): Link {
  const { column: ours } = keyOfRows(owner)
  return { via: 'between', table: tableOf(owner), ours, theirs, order: null, fixed: [] }
}

function pairLink({ owner, name }: LinkPlace, relation: PairRelation, target: Declared): Link {
  const { mappedBy } = relation
  if (mappedBy === undefined) {
    if (holdsKey(relation)) return keyLink(owner, foreignKeyOf(name, relation))
    const { table, ownerKey, targetKey, targetOrder } = joinOf({ owner, name, relation, target })
    return { via: 'between', table, ours: ownerKey, theirs: targetKey, order: targetOrder, fixed: [] }
  }
  const back = target.attributes.get(mappedBy)
  if (back === undefined || !isPair(back)) throw new Error(`${name}: the checks let mappedBy pass`)
  if (holdsKey(back)) return { via: 'there', theirs: foreignKeyOf(mappedBy, back), fixed: [] }
  const join = joinOf({ owner: target, name: mappedBy, relation: back, target: owner })
  const { table, ownerKey: theirs, targetKey: ours, ownerOrder: order } = join
  return { via: 'between', table, ours, theirs, order, fixed: [] }
}

function leadsToFiles({ all, name }: LinkPlace, attribute: Attribute): boolean {
  if (attribute.type === 'media') return true
  if (!isRelation(attribute) || !isMorphInverse(attribute)) return false
  return attribute.morphBy === name && namedIn(all, attribute.target)?.uid === fileUid
}

/** The `related` of files is in no definition of a project, so the privacy of the other side applies to it. */
function writingFields(place: LinkPlace): Pick<Mixed, 'writtenBy'> {
  if (place.owner.uid !== fileUid) return {}
  const fieldsByType = [...place.all.values()]
    .filter((one) => !isComponent(one))
    .map(({ uid, attributes }) => ({
      type: uid,
      fields: [...attributes].flatMap(([field, attribute]) =>
        leadsToFiles(place, attribute) && !isHidden(attribute) ? [field] : [],
      ),
    }))
  return { writtenBy: fieldsByType.filter(({ fields }) => fields.length > 0) }
}

function morphLink(place: LinkPlace, { relation }: MorphOwner): Link {
  if (relation === 'morphToOne') return { via: 'here', key: 'target_id', type: 'target_type' }
  const { table, ownerKey: ours, targetKey: theirs, targetType: type } = morphJoinOf(place.owner, place.name)
  return { via: 'mixed', table, ours, theirs, type, order: 'order', fixed: [], ...writingFields(place) }
}

/** Rows of a morph table that were written from this side carry the attribute's name. */
function throughMorphTable({ owner, name }: LinkPlace, target: Declared, morphBy: string): Link {
  const { table, ownerKey, targetKey, targetType } = morphJoinOf(target, morphBy)
  const fixed = [
    { column: targetType, value: owner.uid },
    { column: 'field', value: name },
  ]
  return { via: 'between', table, ours: targetKey, theirs: ownerKey, order: 'order', fixed }
}

function morphInverseLink(place: LinkPlace, { morphBy }: MorphInverse, target: Declared): Link {
  const by = target.attributes.get(morphBy)
  if (by?.type !== 'relation' || by.relation !== 'morphToOne')
    return throughMorphTable(place, target, morphBy)
  const fixed = [{ column: 'target_type', value: place.owner.uid }]
  return { via: 'there', theirs: 'target_id', fixed }
}

function relationField(place: LinkPlace, relation: RelationAttribute): LinkField {
  const { name } = place
  const many = isToMany(relation)
  if (isMorphOwner(relation)) {
    const types = [...place.all.values()].filter((one) => !isComponent(one) && one.existing === null)
    const targets = types.map(({ uid }) => uid).filter((uid) => uid !== fileUid && uid !== adminUserUid)
    return { name, role: 'morph', many, link: morphLink(place, relation), targets }
  }
  const target = declared(place, relation.target)
  const link = isPair(relation)
    ? pairLink(place, relation, target)
    : morphInverseLink(place, relation, target)
  return { name, role: 'relation', many, link, targets: [target.uid] }
}

function linkField(place: LinkPlace, attribute: Attribute): LinkField | null {
  if (isScalar(attribute)) return null
  const { owner, name } = place
  const table = componentTableName(owner.collectionName)
  const join = { table, ours: 'entity_id', theirs: 'cmp_id', order: 'order' } as const
  // The column that separates the attributes of a shared table.
  const field = { column: 'field', value: name }
  switch (attribute.type) {
    case 'relation':
      return relationField(place, attribute)
    case 'media': {
      const files = declared(place, fileUid)
      const link = throughMorphTable(place, files, 'related')
      return { name, role: 'media', many: attribute.multiple === true, link, targets: [files.uid] }
    }
    case 'component': {
      const { uid } = declared(place, attribute.component)
      const link: Link = { via: 'between', ...join, fixed: [field, { column: 'component_type', value: uid }] }
      return { name, role: 'component', many: attribute.repeatable === true, link, targets: [uid] }
    }
    case 'dynamiczone': {
      const targets = new Set(attribute.components.map((uid) => declared(place, uid).uid))
      const link: Link = { via: 'mixed', ...join, type: 'component_type', fixed: [field] }
      return { name, role: 'zone', many: true, link, targets: [...targets] }
    }
  }
}

function localizations({ uid }: Declared): LinkField {
  const link: Link = { via: 'there', theirs: 'document_id', isOfDocument: true, fixed: [] }
  return { name: 'localizations', role: 'localizations', many: true, link, targets: [uid] }
}

function creators(all: Declarations, owner: Declared): readonly LinkField[] {
  const user = all.get(adminUserUid)
  if (user === undefined) return []
  return ['createdBy', 'updatedBy'].map((name) => ({
    ...{ name, role: 'relation', many: false },
    ...{ link: keyLink(owner, keyName(name)), targets: [user.uid] },
  }))
}

function ownLinks(all: Declarations, owner: Declared, areHidden: boolean): readonly LinkField[] {
  return [...owner.attributes].flatMap(([name, attribute]) => {
    const field = isHidden(attribute) === areHidden ? linkField({ all, owner, name }, attribute) : null
    return field ?? []
  })
}

const byName = (links: readonly LinkField[]): ReadonlyMap<string, LinkField> =>
  new Map(links.map((one) => [one.name, one]))
