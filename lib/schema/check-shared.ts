import type { Fault } from '../errors'
import { adminUserUid, localeUid } from './built-in'
import { type Declarations, type Declared, isContentType } from './declared'
import { step } from './explain'
import { componentTableOf, joinTableOf } from './join-tables'
import { routeOf } from './build-models'
import { areTwins, tableName } from './names'

/** What only one may have, who has it, and where that is written. */
interface Claim {
  readonly thing: string
  readonly where: string
  readonly pointer: string
  readonly holder: string
}

/** Tables of Strapi and of this package that are no type's; some hold secrets. */
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

/** Those of Strapi 5 and its plugins, which hold tokens, settings and versions; a project may have tables that are called alike. */
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
  const claim = (table: string, pointer: string): Claim => ({
    thing: `table ${table}`,
    where,
    pointer,
    holder: uid,
  })
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

/** Letters of either case are the same in a route, and in a table on some databases. */
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
    return [
      {
        where,
        pointer,
        problem: `the ${thing} is already that of ${other.holder}`,
        remedy: `choose another; see ${other.where}`,
      },
    ]
  })
}

/** Links to rows of several types name these in a column, where twins are one. */
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
  return isKept(table) && uid !== adminUserUid && uid !== localeUid
    ? [
        {
          where,
          pointer: '/collectionName',
          problem: `${table} is no table for content`,
          remedy: 'choose another',
        },
      ]
    : []
}

/** Whether every type has its route and its tables for itself. The built-in ones come first: they have theirs. */
export function checkShared(all: Declarations): readonly Fault[] {
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
