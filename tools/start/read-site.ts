import { openapi } from '../../extensions/openapi'
import { readTypes } from '../../lib/config'
import { contentRouter, type ContentRouter, type Extension } from '../../lib/http'
import { TablesError, type Fault } from '../../lib/errors'
import type { Schema } from '../../lib/schema'
import { remedies } from '../../lib/tables'
import { codeNotRun } from './code-not-run'
import { countRows, servedTypes } from './count-rows'
import { wantsExplanation } from './explorer-path'
import { firstWarnings } from './first-warnings'
import { noTypesYet } from './no-types-yet'
import { isOfThisMachine } from './refuse-other-hosts'
import { allRights, rolesToTry, type RolesToTry } from './roles-to-try'
import type { Site } from './site'
import type { StartAsked, Teller } from './start-asked'
import { StartError } from './start-error'

/** A site that answers, once it is mounted. */
export interface ReadSite {
  readonly api: ContentRouter
  /** In whose place else it may be asked. */
  readonly roles: readonly string[]
}

/** What differs is said; the types that it touches answer with what is missing. */
const shownDifferences = 5

function differences(faults: readonly Fault[]): string {
  const lines = faults.slice(0, shownDifferences).map(({ where, problem }) => `  ${where}: ${problem}`)
  const more = faults.length - lines.length
  const rest = more > 0 ? [`  … and ${String(more)} more`] : []
  const said = 'The database is not as the definitions say; what this touches cannot be read:'
  return [said, ...lines, ...rest, '  Let Strapi start once with these definitions.'].join('\n')
}

const concernsAll = ({ where }: Fault): boolean => where === 'database'

/** Of a database that is empty it is not told yet that a Strapi will keep its tables. */
const byStrapi = (faults: readonly Fault[]): readonly Fault[] =>
  faults.map(({ remedy, ...fault }) =>
    remedy === undefined
      ? fault
      : {
          ...fault,
          remedy: remedy.replace(remedies.us, 'start Strapi once (npm run develop), which makes them'),
        },
  )

async function checkReady(api: ContentRouter, { isOfStrapi }: Site, { complain }: Teller): Promise<void> {
  try {
    await api.ready()
  } catch (error) {
    if (!(error instanceof TablesError)) throw error
    if (error.faults.some(concernsAll)) throw isOfStrapi ? new TablesError(byStrapi(error.faults)) : error
    complain(differences(error.faults))
  }
}

function checkTypes(schema: Schema): void {
  if (servedTypes(schema).length === 0) throw noTypesYet()
}

const noRoles: Readonly<Record<RolesToTry['source'], string>> = {
  database: 'this database holds no roles yet. Strapi makes them when it starts (npm run develop)',
  config: 'the permissions of the config name none',
}

function checkRole(role: string | null, { names, permissions, source }: RolesToTry): void {
  // A function knows more roles than it tells.
  if (role === null || typeof permissions === 'function' || names.includes(role)) return
  // The one that may read all is ours, and asked for by no name.
  const known = names.filter((name) => name !== allRights)
  const why = known.length > 0 ? `those that there are: ${known.join(', ')}` : noRoles[source]
  throw new StartError(`There is no role ${role}: ${why}.\nWithout --role everything is shown.`)
}

type Answering = Pick<Site['config'], 'role' | 'serverTiming'>

/** A token speaks for its user where the project's secrets are known; whoever sends none is who the person at the terminal says. */
function answeringTo(name: string, { config: { role } }: Site, { hasUsers }: RolesToTry): Answering {
  return {
    role: typeof role === 'object' && hasUsers ? { ...role, strangers: name } : () => name,
    serverTiming: true,
  }
}

/** It names what a role is not shown: not for whoever comes from elsewhere. */
const explaining = ({ host }: StartAsked): Pick<Site['config'], 'explain'> => ({
  explain: isOfThisMachine(host) ? wantsExplanation : undefined,
})

function withOpenapi({ extensions = [] }: Site['config']): readonly Extension[] {
  return extensions.some(({ name }) => name === 'openapi') ? extensions : [...extensions, openapi()]
}

async function typesAndRows({ opened }: Site, schema: Schema): Promise<string> {
  const types = servedTypes(schema).length
  return `${String(types)} ${types === 1 ? 'type' : 'types'}, ${await countRows(opened.database, schema)}`
}

/** Opens what was found, and says what is there. */
export async function readSite(site: Site, asked: StartAsked, telling: Teller): Promise<ReadSite> {
  const { config, opened } = site
  const { logger, endReading, endChecking } = firstWarnings(telling)
  const schema = readTypes({ ...config, database: {} })
  checkTypes(schema)
  telling.print(`${site.title}\n  ${opened.place}`)
  const roles = await rolesToTry(config.permissions, opened.database)
  checkRole(asked.role, roles)
  const answersTo = asked.role ?? allRights
  const api = contentRouter({
    ...config,
    ...answeringTo(answersTo, site, roles),
    ...explaining(asked),
    database: opened.option,
    permissions: roles.permissions,
    extensions: withOpenapi(config),
    notFound: 'json',
    logger,
  })
  endReading()
  await checkReady(api, site, telling)
  telling.print(`  ${await typesAndRows(site, schema)}`)
  for (const note of [...site.notes, ...codeNotRun(schema)]) telling.print(`  ${note}`)
  endChecking()
  return { api, roles: roles.names.filter((name) => name !== answersTo) }
}
