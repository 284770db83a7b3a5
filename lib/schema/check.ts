import type { Fault } from '../errors'
import { checkComponents, checkNames } from './check-names'
import { type Declarations, type Declared, declaredAs, isContentType } from './declared'
import { type CostlyAttribute, loosenParts, loosenRelations } from './loosen-relations'
import {
  isMorphInverse,
  isMorphOwner,
  isOwner,
  isPair,
  isRelation,
  type MorphInverse,
  type PairRelation,
} from './attribute'
import { step } from './explain'
import { didYouMean } from './nearest'
import { adminUserUid, localeUid } from './built-in'
import { componentTableOf, joinTableOf } from './physical-of'
import { routeOf } from './build-models'
import { areTwins, tableName } from './names'

interface Claim {
  readonly thing: string
  readonly where: string
  readonly pointer: string
  readonly holder: string
}

/** Tables without content, some with secrets. */
const kept: ReadonlySet<string> = new Set([
  'admin_permissions',
  'admin_roles',
  'admin_users',
  'content_router_tables',
  'files_folder_lnk',
  'i18n_locale',
  'up_permissions',
  'up_permissions_role_lnk',
  'upload_folders',
  'upload_folders_parent_lnk',
])

/** Tokens, settings and versions of Strapi 5 and its plugins. Tables of a project may have similar names. */
const keptByStrapi =
  /^strapi_(ai|api_token|audit|core_store|database_schema|history|migration|release|session|transfer_token|webhook|workflow)/

const isKept = (table: string): boolean =>
  kept.has(table) || table.startsWith('sqlite_') || keptByStrapi.test(table)

function routeClaims(declared: Declared): readonly Claim[] {
  const route = routeOf(declared)
  if (route === null || route === '') return []
  const pointer = declared.kind === 'singleType' ? '/info/singularName' : '/info/pluralName'
  return [{ thing: `route /${route}`, where: declared.where, pointer, holder: declared.uid }]
}

function tableClaims(all: Declarations, declared: Declared): readonly Claim[] {
  const { where, uid, collectionName, singularName } = declared
  if (collectionName === '' || singularName === '') return []
  const claim = (table: string, pointer: string): Claim => {
    return { thing: `table ${table}`, where, pointer, holder: uid }
  }
  const components = componentTableOf(declared)
  const links = [...declared.attributes].flatMap((attribute): readonly Claim[] => {
    const link = joinTableOf(all, declared, attribute)
    return link === undefined ? [] : [claim(link.table, `/attributes${step(attribute[0])}`)]
  })
  return [
    claim(tableName(collectionName), '/collectionName'),
    ...(components === undefined ? [] : [claim(components.table, '/collectionName')]),
    ...links,
  ]
}

/** Routes ignore case, and so do table names on some databases. */
const identity = ({ thing }: Claim): string => thing.toLowerCase()

function refuseTwice(claims: readonly Claim[]): readonly Fault[] {
  const first = new Map<string, Claim>()
  return claims.flatMap((claim): readonly Fault[] => {
    const other = first.get(identity(claim))
    if (other === undefined) {
      first.set(identity(claim), claim)
      return []
    }
    const { where, pointer, thing } = claim
    const problem = `the ${thing} is already that of ${other.holder}`
    return [{ where, pointer, problem, remedy: `choose another; see ${other.where}` }]
  })
}

/** Link tables store the uid in a column, where a collation may equate twins. */
function refuseTwins(types: readonly Declared[]): readonly Fault[] {
  return types.flatMap(({ uid, where }, at): readonly Fault[] => {
    const other = types.slice(0, at).find((earlier) => areTwins(earlier.uid, uid))
    if (other === undefined) return []
    const problem = `${uid} differs from ${other.uid} in case alone, which databases do not tell apart`
    return [{ where, pointer: '/info/singularName', problem, remedy: `choose another; see ${other.where}` }]
  })
}

function refuseKept({ where, uid, collectionName }: Declared): readonly Fault[] {
  const table = collectionName.toLowerCase()
  if (!isKept(table) || uid === adminUserUid || uid === localeUid) return []
  const problem = `${table} is no table for content`
  return [{ where, pointer: '/collectionName', problem, remedy: 'choose another' }]
}

/** Built-in types come first, so that they keep their names. */
function checkShared(all: Declarations): readonly Fault[] {
  const declared = [...all.values()]
  const inOrder = [
    ...declared.filter(({ builtIn }) => builtIn),
    ...declared.filter(({ builtIn }) => !builtIn),
  ]
  return [
    ...declared.flatMap(refuseKept),
    ...refuseTwins(inOrder.filter(isContentType)),
    ...refuseTwice(inOrder.flatMap(routeClaims)),
    ...refuseTwice(inOrder.flatMap((one) => tableClaims(all, one))),
  ]
}

interface RelationPlace {
  readonly all: Declarations
  readonly fault: SayFault
}

type SayFault = (key: string, problem: string, remedy?: string) => readonly Fault[]

function unknownTarget({ all, fault }: RelationPlace, target: string): readonly Fault[] {
  const types = [...all.values()].filter(isContentType)
  const names = types
    .map(({ uid, singularName }) => (target.includes('::') ? uid : singularName))
    .filter(Boolean)
  return fault('target', `there is no type ${JSON.stringify(target)}`, didYouMean(target, names))
}

/** Strapi makes a table for them, and does not start without the target. */
const ownsForStrapi = ({ inversedBy, mappedBy }: PairRelation): boolean =>
  inversedBy !== undefined || mappedBy === undefined

function checkSides({ fault }: RelationPlace, relation: PairRelation): readonly Fault[] {
  const { inversedBy, mappedBy, useJoinTable } = relation
  if (relation.relation === 'manyToOne' && mappedBy !== undefined && inversedBy === undefined)
    return fault('mappedBy', 'a manyToOne owns its relation', 'inversedBy here, mappedBy on the oneToMany')
  if (relation.relation !== 'oneToMany') return []
  if (inversedBy !== undefined && mappedBy !== undefined) {
    const remedy = 'inversedBy on the side that owns the relation, mappedBy on the other'
    return fault('mappedBy', 'stands beside inversedBy', remedy)
  }
  if (inversedBy !== undefined) {
    const remedy = 'mappedBy here, inversedBy on the manyToOne'
    return fault('inversedBy', 'a oneToMany cannot own a two-way relation', remedy)
  }
  return useJoinTable === false && mappedBy === undefined
    ? fault('useJoinTable', 'a oneToMany cannot do without a join table', 'leave useJoinTable out')
    : []
}

function checkBack({ fault }: RelationPlace, relation: PairRelation, target: Declared): readonly Fault[] {
  const here = isOwner(relation) ? 'inversedBy' : 'mappedBy'
  const by = relation[here]
  if (by === undefined || target.aside.has(by)) return []
  const back = target.attributes.get(by)
  if (back === undefined) {
    const pairs = [...target.attributes].filter(([, attribute]) => isPair(attribute)).map(([one]) => one)
    return fault(here, `${target.uid} has no attribute ${JSON.stringify(by)}`, didYouMean(by, pairs))
  }
  return isRelation(back) ? [] : fault(here, `${by} of ${target.uid} is no relation between two types`)
}

/** The inverse side costs only its attribute: see `loosenRelations`. */
function checkPair(place: RelationPlace, relation: PairRelation): readonly Fault[] {
  const sides = checkSides(place, relation)
  if (!ownsForStrapi(relation)) return sides
  const target = declaredAs(place.all, relation.target)
  if (target === undefined) return [...unknownTarget(place, relation.target), ...sides]
  return sides.length > 0 || !isContentType(target) ? sides : checkBack(place, relation, target)
}

function checkMorph(place: RelationPlace, { target: name, morphBy }: MorphInverse): readonly Fault[] {
  const target = declaredAs(place.all, name)
  if (target === undefined) return unknownTarget(place, name)
  if (!isContentType(target) || target.attributes.has(morphBy) || target.aside.has(morphBy)) return []
  const owners = [...target.attributes].filter(([, attribute]) => isMorphOwner(attribute)).map(([one]) => one)
  const problem = `${target.uid} has no attribute ${JSON.stringify(morphBy)}`
  return place.fault('morphBy', problem, didYouMean(morphBy, owners))
}

function sayerOf({ where }: Declared, name: string): SayFault {
  return (key, problem, remedy) => {
    const fault = { where, pointer: `/attributes${step(name)}/${key}`, problem }
    return [remedy === undefined ? fault : { ...fault, remedy }]
  }
}

/** Faults with which Strapi does not start. */
function checkRelations(all: Declarations, owner: Declared): readonly Fault[] {
  return [...owner.attributes].flatMap(([name, attribute]) => {
    const place: RelationPlace = { all, fault: sayerOf(owner, name) }
    if (isPair(attribute)) return checkPair(place, attribute)
    return isMorphInverse(attribute) ? checkMorph(place, attribute) : []
  })
}

export interface Checked {
  readonly declarations: Declarations
  readonly faults: readonly Fault[]
  readonly costs: readonly CostlyAttribute[]
}

function faultsOf(all: Declarations): readonly Fault[] {
  const declared = [...all.values()]
  return [
    ...declared.flatMap((one) => [
      ...checkNames(one),
      ...checkRelations(all, one),
      ...checkComponents(all, one),
    ]),
    ...checkShared(all),
  ]
}

export function check(all: Declarations): Checked {
  const parts = loosenParts(all)
  const faults = faultsOf(parts.all)
  if (faults.length > 0) return { declarations: parts.all, faults, costs: parts.costs }
  const relations = loosenRelations(parts.all)
  return { declarations: relations.all, faults, costs: [...parts.costs, ...relations.costs] }
}
