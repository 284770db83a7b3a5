import { configuredSite } from './configured-site'
import { sampleSite } from './sample-site'
import type { Site } from './site'
import type { StartAsked, Teller } from './start-asked'
import { StartError } from './start-error'
import { type StrapiFolder, strapiFolder, strapiFoldersBelow } from './strapi-folder'
import { strapiSite } from './strapi-site'
import { join } from 'node:path'

const command = 'npx express-content-router start'

const severalBelow = (names: readonly string[]): StartError =>
  new StartError(
    `There are several Strapi projects here. Choose one:\n${names.map((name) => `  ${command} ${name}`).join('\n')}`,
  )

const nothingIn = (folder: string): StartError =>
  new StartError(
    `${folder} holds neither a Strapi project nor a content-router config.\nOther definitions are named by flags: --content-types <folder> --connection <where>`,
  )

/** The project of the folder; or the one that lies below it, where the person named none. */
function projectFor({ folder, isNamed, connection }: StartAsked, { print }: Teller): StrapiFolder | null {
  const here = strapiFolder(folder)
  if (here !== null) return here
  const below = strapiFoldersBelow(folder)
  if (below.length > 1) throw severalBelow(below)
  const [only] = below
  if (only !== undefined) {
    print(`Nothing is here, and a Strapi project in ${only}.`)
    return strapiFolder(join(folder, only))
  }
  if (isNamed || connection !== null) throw nothingIn(folder)
  return null
}

/** A config file goes first, then what a Strapi project says of itself; where there is nothing, the sample. */
export async function findSite(asked: StartAsked, telling: Teller): Promise<Site> {
  if (asked.config !== null) return configuredSite(asked.config, asked.folder)
  const project = projectFor(asked, telling)
  if (project !== null) return strapiSite(project, asked)
  telling.print('There is no Strapi project here and no content-router config, so this is the sample.')
  return sampleSite(asked.folder)
}
