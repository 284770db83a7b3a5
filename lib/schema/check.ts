import type { Fault } from '../errors'
import {
  type Declarations,
  type Declared,
  namedIn,
  isComponent,
  isMorphInverse,
  isMorphOwner,
  isOwner,
  isPair,
  isRelation,
  isToMany,
  type MorphInverse,
  type PairRelation,
  attributePointer,
  closingNames,
  type Attribute,
} from './declared'
import { didYouMean } from './nearest'
import { adminUserUid, fileUid, localeUid } from './built-in'
import {
  componentTableOf,
  existingKeysOf,
  joinTableOf,
  keyOfRows,
  closingColumns,
  ownColumnsOf,
  tableOf,
} from './physical'
import { routeOf } from './build-models'
import { areTwins, snakeCase } from './names'
import { once } from '../memory'

interface Claim {
  readonly thing: string
  readonly where: string
  readonly pointer: string
  readonly holder: string
}

/** Tables without content, some with secrets. */
const reserved: ReadonlySet<string> = new Set([
  'admin_permissions',
  'admin_roles',
  'admin_users',
  'files_folder_lnk',
  'i18n_locale',
  'up_permissions',
  'up_permissions_role_lnk',
  'upload_folders',
  'upload_folders_parent_lnk',
])

/** Tokens, settings and versions of Strapi 5 and its plugins. Tables of a project may have similar names. */
const reservedByStrapi =
  /^strapi_(ai|api_token|audit|core_store|database_schema|history|migration|release|session|transfer_token|webhook|workflow)/

const isInternalTable = (table: string): boolean =>
  table === 'content_router_tables' || table.startsWith('sqlite_') || reservedByStrapi.test(table)

/** Names that no other type can have. */
function claimsOf(all: Declarations, declared: Declared): readonly Claim[] {
  const { where, uid, kind, collectionName, singularName, attributes } = declared
  const claim = (thing: string, pointer: string): Claim => ({ thing, where, pointer, holder: uid })
  const route = routeOf(declared) ?? ''
  const nameOfRoute = kind === 'singleType' ? '/info/singularName' : '/info/pluralName'
  const names = [
    // Link tables store the uid in a column, where a collation may ignore case.
    ...(isComponent(declared) ? [] : [claim(`uid ${uid}`, '/info/singularName')]),
    ...(route === '' ? [] : [claim(`route /${route}`, nameOfRoute)]),
  ]
  if (collectionName === '' || singularName === '') return names
  const own = [tableOf(declared), componentTableOf(declared)?.table ?? []].flat()
  const links = [...attributes].flatMap((attribute) => {
    const link = joinTableOf(all, declared, attribute)
    // Two types may share a join table that the application made.
    const isOwn = link !== undefined && link.isExisting !== true
    return isOwn ? claim(`table ${link.table}`, attributePointer(attribute[0])) : []
  })
  return [...names, ...own.map((table) => claim(`table ${table}`, '/collectionName')), ...links]
}

function refuseReservedTable({ where, uid, collectionName, existing }: Declared): readonly Fault[] {
  const table = collectionName.toLowerCase()
  // An application without Strapi may have its own `admin_users`.
  const isTaken = isInternalTable(table) || (existing === null && reserved.has(table))
  if (!isTaken || uid === adminUserUid || uid === localeUid) return []
  const problem = `the table name ${table} is reserved`
  return [{ where, pointer: '/collectionName', problem, remedy: 'choose another name' }]
}

/** An application may have its own `files`, as long as no type has media. */
function givesWay(all: Declarations, { uid, builtIn, collectionName }: Declared): boolean {
  const others = [...all.values()].filter((one) => !one.builtIn)
  const refersHere = (attribute: Attribute): boolean =>
    (attribute.type === 'media' && uid === fileUid) || ('target' in attribute && attribute.target === uid)
  const isUsed = others.some(({ attributes }) => [...attributes.values()].some(refersHere))
  const isTaken = others.some((one) => one.existing !== null && tableOf(one) === collectionName)
  return builtIn && isTaken && !isUsed
}

/** Built-in types come first, so that they keep their names. */
function checkShared(all: Declarations): readonly Fault[] {
  const declared = [...all.values()].filter((one) => !givesWay(all, one))
  const own = declared.filter(({ builtIn }) => !builtIn)
  const first = new Map<string, Claim>()
  const twice = [...declared.filter(({ builtIn }) => builtIn), ...own]
    .flatMap((one) => claimsOf(all, one))
    .flatMap((claim): readonly Fault[] => {
      const { where, pointer, thing } = claim
      // Routes ignore case, and so do names and values on some databases.
      const other = once(first, thing.toLowerCase(), () => claim)
      if (other === claim) return []
      const problem = `the ${thing} is already used by ${other.holder}`
      return [{ where, pointer, problem, remedy: `choose a name that ${other.where} does not use` }]
    })
  return [...declared.flatMap(refuseReservedTable), ...twice]
}

type RelationFault = readonly [key: string, problem: string, remedy?: string]

function unknownTarget(all: Declarations, target: string): RelationFault {
  const names = [...all.values()]
    .filter((one) => !isComponent(one))
    .map(({ uid, singularName }) => (target.includes('::') ? uid : singularName))
    .filter(Boolean)
  return ['target', `there is no type ${JSON.stringify(target)}`, didYouMean(target, names)]
}

function checkSides(pair: PairRelation): RelationFault | null {
  const { relation, inversedBy, mappedBy, useJoinTable, joinColumn } = pair
  if (joinColumn !== undefined && isToMany(pair))
    return [
      'joinColumn',
      'joinColumn is a foreign key and cannot link to several entries',
      'write joinTable. Or write mappedBy in the attribute, and joinColumn in the attribute of the target',
    ]
  if (relation === 'manyToOne' && mappedBy !== undefined && inversedBy === undefined)
    return ['mappedBy', 'a manyToOne attribute cannot have only mappedBy', 'write inversedBy instead']
  if (relation !== 'oneToMany') return null
  if (inversedBy !== undefined && mappedBy !== undefined) {
    const remedy = 'write inversedBy on the owning side, and mappedBy on the inverse side'
    return ['mappedBy', 'mappedBy cannot be combined with inversedBy', remedy]
  }
  if (inversedBy !== undefined) {
    const remedy = 'write mappedBy in the oneToMany attribute, and inversedBy in the manyToOne attribute'
    return ['inversedBy', 'a oneToMany attribute cannot be the owning side of a two-way relation', remedy]
  }
  return useJoinTable === false && mappedBy === undefined
    ? ['useJoinTable', 'a oneToMany relation requires a join table', 'remove the key useJoinTable']
    : null
}

function checkBack(relation: PairRelation, target: Declared): RelationFault | null {
  const here = isOwner(relation) ? 'inversedBy' : 'mappedBy'
  const by = relation[here]
  if (by === undefined || target.aside.has(by)) return null
  const back = target.attributes.get(by)
  if (back === undefined) {
    const pairs = [...target.attributes].filter(([, attribute]) => isPair(attribute)).map(([one]) => one)
    return [here, `${target.uid} has no attribute ${JSON.stringify(by)}`, didYouMean(by, pairs)]
  }
  return isRelation(back) ? null : [here, `${by} of ${target.uid} is not a relation between two types`]
}

/**
 * Only the owner has a table in Strapi, which does not start without the target, and tolerates a wrong `mappedBy`. See
 * `reduceRelations`.
 */
function checkPair(
  all: Declarations,
  relation: PairRelation,
  { existing }: Declared,
): readonly (RelationFault | null)[] {
  const sides = checkSides(relation)
  const target = namedIn(all, relation.target)
  const isStrapis = existing === null && (target?.existing ?? null) === null
  if (isStrapis && relation.inversedBy === undefined && relation.mappedBy !== undefined) return [sides]
  if (target === undefined) return [unknownTarget(all, relation.target), sides]
  return [
    sides ?? checkReference(relation, target) ?? (isComponent(target) ? null : checkBack(relation, target)),
  ]
}

function checkReference({ joinColumn }: PairRelation, target: Declared): RelationFault | null {
  const { referencedColumn } = joinColumn ?? {}
  const { column } = keyOfRows(target)
  if (referencedColumn === undefined || referencedColumn === column) return null
  return ['joinColumn/referencedColumn', `the relation must refer to ${column}, the key of ${target.uid}`]
}

function checkMorph(all: Declarations, { target: name, morphBy }: MorphInverse): RelationFault | null {
  const target = namedIn(all, name)
  if (target === undefined) return unknownTarget(all, name)
  if (isComponent(target) || target.attributes.has(morphBy) || target.aside.has(morphBy)) return null
  const owners = [...target.attributes].filter(([, attribute]) => isMorphOwner(attribute)).map(([one]) => one)
  const problem = `${target.uid} has no attribute ${JSON.stringify(morphBy)}`
  return ['morphBy', problem, didYouMean(morphBy, owners)]
}

/** Faults with which Strapi does not start. */
function checkRelations(all: Declarations, declared: Declared): readonly Fault[] {
  const { where, attributes } = declared
  return [...attributes].flatMap(([name, attribute]) => {
    const found = isPair(attribute)
      ? checkPair(all, attribute, declared)
      : [isMorphInverse(attribute) ? checkMorph(all, attribute) : null]
    return found
      .filter((one) => one !== null)
      .map(([key, problem, remedy]) => ({
        ...{ where, pointer: `${attributePointer(name)}/${key}`, problem },
        ...(remedy === undefined ? {} : { remedy }),
      }))
  })
}

/** Unknown components of zones were left out before. */
function checkComponents(all: Declarations, { where, attributes }: Declared): readonly Fault[] {
  const components = [...all.values()].filter(isComponent).map(({ uid }) => uid)
  return [...attributes].flatMap(([name, attribute]): readonly Fault[] => {
    if (attribute.type !== 'component' || isComponent(all.get(attribute.component))) return []
    const pointer = `${attributePointer(name)}/component`
    const problem = `there is no component ${JSON.stringify(attribute.component)}`
    return [{ where, pointer, problem, remedy: didYouMean(attribute.component, components) }]
  })
}

/** The problem by the type and attribute that closes a circle of components. */
export function circlesOf(all: Declarations): ReadonlyMap<string, string> {
  const circles = new Map<string, string>()
  const done = new Set<string>()
  const visit = ({ uid, attributes }: Declared, path: readonly string[]): void => {
    done.add(uid)
    const here = [...path, uid]
    for (const [name, attribute] of attributes) {
      const { type } = attribute
      const own = type === 'component' ? [attribute.component] : []
      for (const used of type === 'dynamiczone' ? attribute.components : own) {
        const next = all.get(used)
        if (here.includes(used)) {
          const circle = [...here.slice(here.indexOf(used)), used].join(' → ')
          circles.set(`${uid} ${name}`, `the component contains itself: ${circle}`)
        } else if (next !== undefined && !done.has(used)) visit(next, here)
      }
    }
  }
  for (const declared of all.values())
    if (isComponent(declared) && !done.has(declared.uid)) visit(declared, [])
  return circles
}

/** A column name of digits alone would be taken for a place in a list. */
const isSpeakable = (name: string): boolean =>
  /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]*$/u.test(name) && /\D/.test(snakeCase(name))

/** The reason why an attribute is not served, although Strapi starts with it. */
export function problemOfName(name: string, isInComponent: boolean): string | undefined {
  // Every object inherits `constructor` and the like.
  if (name in Object.prototype) return `the name ${name} is not allowed`
  if (!isSpeakable(name)) return `the attribute name ${JSON.stringify(name.slice(0, 80))} is not allowed`
  // Strapi's own attributes replace those of the same name.
  return !isInComponent && closingNames.includes(name)
    ? `${name} is a built-in attribute of every type`
    : undefined
}

/**
 * `phone2` and `phone_2` would share a column. Names of components, zones and media are values in link tables, where
 * a collation may equate `seo` and `Seo`.
 */
function checkAttributeNames(
  all: Declarations,
  { where, kind, existing, attributes }: Declared,
): readonly Fault[] {
  const builtIn = existing === null ? closingColumns : existingKeysOf(existing)
  const owner = existing === null ? 'every type' : '"table"'
  const taken = new Map(kind === 'component' ? [] : builtIn.map(({ column }) => [column, owner]))
  const names: string[] = []
  const problemOf = (name: string, columns: readonly string[]): Pick<Fault, 'problem' | 'remedy'> | null => {
    // Strapi refuses them in components, too.
    if (['id', 'document_id'].includes(snakeCase(name)))
      return { problem: `the name ${name} is reserved`, remedy: 'choose a name other than id and documentId' }
    const own = columns.find((column) => taken.has(column))
    if (own !== undefined) return { problem: `${String(taken.get(own))} already uses the column ${own}` }
    const twin = names.find((other) => areTwins(other, name))
    return twin === undefined ? null : { problem: `the name differs from ${twin} only in case or accents` }
  }
  return [...attributes].flatMap(([name, attribute]): readonly Fault[] => {
    // A foreign key may be an attribute, too.
    const isKey = existing !== null && isRelation(attribute)
    const columns = isKey ? [] : ownColumnsOf(all, [name, attribute]).map(({ column }) => column)
    const fault = problemOf(name, columns)
    if (fault !== null) return [{ where, pointer: attributePointer(name), ...fault }]
    for (const column of columns) taken.set(column, name)
    names.push(name)
    return []
  })
}

export function checkDeclarations(all: Declarations): readonly Fault[] {
  const own = [...all.values()].flatMap((one) => [
    ...checkAttributeNames(all, one),
    ...checkRelations(all, one),
    ...checkComponents(all, one),
  ])
  return [...own, ...checkShared(all)]
}
