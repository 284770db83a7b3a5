import {
  type Attribute,
  type ComponentAttribute,
  holdsKey,
  isMorphInverse,
  isMorphOwner,
  isOwner,
  isPair,
  isRelation,
  isToMany,
  type MediaAttribute,
  type MorphInverse,
  type MorphOwner,
  type PairRelation,
  type RelationAttribute,
  type ZoneAttribute,
} from './attribute'
import { adminUserUid, fileUid } from './built-in'
import { isHidden } from './columns-of'
import { type Declarations, type Declared, declaredAs, isContentType } from './declared'
import { joinOf, morphJoinOf, type OwnedRelation } from './physical-of'
import type { Fixed, Link, Mixed, LinkField } from './model'
import { componentTableName, keyName, tableName } from './names'

interface LinkPlace {
  readonly all: Declarations
  readonly owner: Declared
  readonly name: string
}

const unshared = (field: Omit<LinkField, 'shared'>): LinkField => ({ ...field, shared: false })

function declared({ all, name }: LinkPlace, target: string): Declared {
  const found = declaredAs(all, target)
  if (found === undefined) throw new Error(`${name}: the checks let ${target} pass`)
  return found
}

function swapped(other: OwnedRelation): Link {
  if (holdsKey(other.relation)) return { via: 'there', theirs: keyName(other.name), ours: 'id', fixed: [] }
  const { table, ownerKey, targetKey, ownerOrder } = joinOf(other)
  return { via: 'between', table, ours: targetKey, theirs: ownerKey, order: ownerOrder, fixed: [] }
}

function owned(own: OwnedRelation): Link {
  const { table, ownerKey, targetKey, targetOrder } = joinOf(own)
  if (!holdsKey(own.relation)) {
    return { via: 'between', table, ours: ownerKey, theirs: targetKey, order: targetOrder, fixed: [] }
  }
  const ownTable = tableName(own.owner.collectionName)
  return { via: 'between', table: ownTable, ours: 'id', theirs: keyName(own.name), order: null, fixed: [] }
}

function pairLink({ owner, name }: LinkPlace, relation: PairRelation, target: Declared): Link {
  const { mappedBy } = relation
  if (mappedBy === undefined) return owned({ owner, name, relation, target })
  const back = target.attributes.get(mappedBy)
  if (back === undefined || !isPair(back)) throw new Error(`${name}: the checks let mappedBy pass`)
  return swapped({ owner: target, name: mappedBy, relation: back, target: owner })
}

/** A one-way list may hold entries of other lists. Strapi calls it many-way. */
const isShared = (relation: PairRelation): boolean =>
  relation.relation === 'manyToMany' || (isOwner(relation) && relation.relation === 'oneToMany')

function pair(place: LinkPlace, relation: PairRelation): LinkField {
  const target = declared(place, relation.target)
  return {
    name: place.name,
    role: 'relation',
    many: isToMany(relation),
    shared: isShared(relation),
    link: pairLink(place, relation, target),
    targets: [target.uid],
  }
}

function leadsToFiles({ all, name }: LinkPlace, attribute: Attribute): boolean {
  if (attribute.type === 'media') return true
  if (!isRelation(attribute) || !isMorphInverse(attribute)) return false
  return attribute.morphBy === name && declaredAs(all, attribute.target)?.uid === fileUid
}

/** The `related` of files is in no definition of a project, so the privacy of the other side applies to it. */
function writingFields(place: LinkPlace): Pick<Mixed, 'told'> {
  if (place.owner.uid !== fileUid) return {}
  const fieldsByType = [...place.all.values()].filter(isContentType).map(({ uid, attributes }) => ({
    type: uid,
    fields: [...attributes].flatMap(([field, attribute]) =>
      leadsToFiles(place, attribute) && !isHidden(attribute) ? [field] : [],
    ),
  }))
  return { told: fieldsByType.filter(({ fields }) => fields.length > 0) }
}

function morphOwner(place: LinkPlace, relation: MorphOwner): LinkField {
  const { all, owner, name } = place
  const targets = [...all.values()]
    .filter((one) => isContentType(one) && one.uid !== fileUid && one.uid !== adminUserUid)
    .map(({ uid }) => uid)
  if (relation.relation === 'morphToOne') {
    const link: Link = { via: 'here', key: 'target_id', type: 'target_type' }
    return unshared({ name, role: 'morph', many: false, link, targets })
  }
  const { table, ownerKey, targetKey, targetType } = morphJoinOf(owner, name)
  const link: Link = {
    via: 'mixed',
    table,
    ours: ownerKey,
    theirs: targetKey,
    type: targetType,
    order: 'order',
    fixed: [],
    ...writingFields(place),
  }
  return unshared({ name, role: 'morph', many: true, link, targets })
}

/** The column that separates the attributes of a shared table. */
const fieldOf = ({ name }: LinkPlace): Fixed => ({ column: 'field', value: name })

/** Rows of a morph table that were written from this side carry the attribute's name. */
function throughMorphTable(place: LinkPlace, target: Declared, morphBy: string): Link {
  const { table, ownerKey, targetKey, targetType } = morphJoinOf(target, morphBy)
  const fixed: readonly Fixed[] = [{ column: targetType, value: place.owner.uid }, fieldOf(place)]
  return { via: 'between', table, ours: targetKey, theirs: ownerKey, order: 'order', fixed }
}

function morphInverse(place: LinkPlace, relation: MorphInverse): LinkField {
  const { owner, name } = place
  const target = declared(place, relation.target)
  const by = target.attributes.get(relation.morphBy)
  const isOne = by !== undefined && isMorphOwner(by) && by.relation === 'morphToOne'
  const link: Link = isOne
    ? { via: 'there', theirs: 'target_id', ours: 'id', fixed: [{ column: 'target_type', value: owner.uid }] }
    : throughMorphTable(place, target, relation.morphBy)
  return unshared({ name, role: 'relation', many: isToMany(relation), link, targets: [target.uid] })
}

function relation(place: LinkPlace, attribute: RelationAttribute): LinkField {
  if (isPair(attribute)) return pair(place, attribute)
  return isMorphInverse(attribute) ? morphInverse(place, attribute) : morphOwner(place, attribute)
}

function media(place: LinkPlace, { multiple }: MediaAttribute): LinkField {
  const files = declared(place, fileUid)
  const link = throughMorphTable(place, files, 'related')
  return unshared({ name: place.name, role: 'media', many: multiple === true, link, targets: [files.uid] })
}

function component(place: LinkPlace, { component: uid, repeatable }: ComponentAttribute): LinkField {
  const { owner, name } = place
  const target = declared(place, uid)
  const link: Link = {
    via: 'between',
    table: componentTableName(owner.collectionName),
    ours: 'entity_id',
    theirs: 'cmp_id',
    order: 'order',
    fixed: [fieldOf(place), { column: 'component_type', value: target.uid }],
  }
  return unshared({ name, role: 'component', many: repeatable === true, link, targets: [target.uid] })
}

function zone(place: LinkPlace, { components }: ZoneAttribute): LinkField {
  const { owner, name } = place
  const targets = new Set(components.map((uid) => declared(place, uid).uid))
  const link: Link = {
    via: 'mixed',
    table: componentTableName(owner.collectionName),
    ours: 'entity_id',
    theirs: 'cmp_id',
    type: 'component_type',
    order: 'order',
    fixed: [fieldOf(place)],
  }
  return unshared({ name, role: 'zone', many: true, link, targets: [...targets] })
}

function linkField(place: LinkPlace, attribute: Attribute): readonly LinkField[] {
  if (isRelation(attribute)) return [relation(place, attribute)]
  if (attribute.type === 'media') return [media(place, attribute)]
  if (attribute.type === 'component') return [component(place, attribute)]
  return attribute.type === 'dynamiczone' ? [zone(place, attribute)] : []
}

function localizations({ uid }: Declared): LinkField {
  const link: Link = { via: 'there', theirs: 'document_id', ours: 'document_id', fixed: [] }
  return unshared({ name: 'localizations', role: 'localizations', many: true, link, targets: [uid] })
}

function creators(all: Declarations, { collectionName }: Declared): readonly LinkField[] {
  const user = all.get(adminUserUid)
  if (user === undefined) return []
  const table = tableName(collectionName)
  return ['createdBy', 'updatedBy'].map((name) => {
    const link: Link = { via: 'between', table, ours: 'id', theirs: keyName(name), order: null, fixed: [] }
    return unshared({ name, role: 'relation', many: false, link, targets: [user.uid] })
  })
}

function ownLinks(all: Declarations, owner: Declared, areHidden: boolean): readonly LinkField[] {
  return [...owner.attributes].flatMap(([name, attribute]) =>
    isHidden(attribute) === areHidden ? linkField({ all, owner, name }, attribute) : [],
  )
}

const byName = (links: readonly LinkField[]): ReadonlyMap<string, LinkField> =>
  new Map(links.map((one) => [one.name, one]))

export const hiddenLinksOf = (all: Declarations, owner: Declared): ReadonlyMap<string, LinkField> =>
  byName(ownLinks(all, owner, true))

export function buildLinks(all: Declarations, owner: Declared): ReadonlyMap<string, LinkField> {
  const builtIn = [
    ...(owner.showsCreators ? creators(all, owner) : []),
    ...(owner.localized ? [localizations(owner)] : []),
  ]
  return byName([...ownLinks(all, owner, false), ...builtIn.filter(({ name }) => !owner.hidden.has(name))])
}
