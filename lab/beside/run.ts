// The router beside a real Strapi 5, on the database that Strapi wrote.
import { join, resolve } from 'node:path'
import { installStrapi, strapiFolder, strapiVersion } from '../bench/strapi'
import { say } from '../bench/report'
import { startServers, stopServers } from '../../spec/support/servers'
import { stores } from '../../spec/support/stores'
import { compare } from './compare'
import { type BesideOptions, readOptions, usage } from './options'
import { nameOf, writeTwin } from './project'
import { startRouterSide } from './router-side'
import { startStrapiSide } from './strapi-side'
import { tell, tellRefusals } from './tell'
import { storeOf } from './world'

const ownDefinitions = join(__dirname, 'definitions')

async function besideStrapi(options: BesideOptions): Promise<boolean> {
  const { folder: project = ownDefinitions, database: name, seed } = options
  const title = nameOf(resolve(project))
  const store = stores[name]
  const database = await store.create()
  const app = join(strapiFolder, 'beside', `${title}-${name}`)
  try {
    const { folder, contentTypes, notes } = writeTwin(resolve(project), { folder: app, name, database })
    say(`${title}: Strapi ${strapiVersion} on ${name}, seed ${String(seed)}`)
    for (const note of notes) say(`  ${note}`)
    const strapi = await startStrapiSide({ folder, seed })
    try {
      tellRefusals(strapi.served.refused)
      const router = await startRouterSide(contentTypes, database)
      try {
        const held = storeOf(strapi.served.world)
        say(
          `  ${String(strapi.served.world.types.length)} types and components, ${String(held.rows.length)} rows`,
        )
        const found = await compare({ strapi: strapi.origin, router: router.origin }, held, options)
        return tell(title, found)
      } finally {
        await router.stop()
      }
    } finally {
      await strapi.stop()
    }
  } finally {
    await store.drop(database)
  }
}

async function main(options: BesideOptions): Promise<void> {
  installStrapi()
  process.env['DATABASES'] = options.database
  await startServers()
  try {
    if (await besideStrapi(options)) process.exitCode = 1
  } finally {
    await stopServers()
  }
}

async function run(): Promise<void> {
  try {
    const options = readOptions(process.argv.slice(2))
    if (options === undefined) say(usage)
    else await main(options)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    process.exitCode = 2
  }
}

void run()
