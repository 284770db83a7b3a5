import { configuredSite } from './configured-site'
import { sampleSite } from './sample-site'
import type { Site } from './site'
import type { StartAsked, Teller } from './start-asked'
import { StartError } from './start-error'
import { type StrapiFolder, strapiFolder, strapiFolderAbove, strapiFoldersBelow } from './strapi-folder'
import { strapiSite } from './strapi-site'
import { join, relative } from 'node:path'

const command = 'npx express-content-router start'

const severalBelow = (names: readonly string[]): StartError =>
  new StartError(
    `There are several Strapi projects here. Choose one:\n${names.map((name) => `  ${command} ${name}`).join('\n')}`,
  )

const otherDefinitions = 'Other definitions are named by flags: --content-types <folder> --connection <where>'

function nothingIn(folder: string, above: StrapiFolder | null): StartError {
  const next = above === null ? otherDefinitions : `A Strapi project lies above it: ${command} ${above.root}`
  return new StartError(`${folder} holds neither a Strapi project nor a content-router config.\n${next}`)
}

/** The project of the folder; or the one that lies below or above it, where the person named none. */
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
  const above = strapiFolderAbove(folder)
  if (isNamed || (connection !== null && above === null)) throw nothingIn(folder, above)
  if (above !== null) print(`Nothing is here, and a Strapi project in ${relative(folder, above.root)}.`)
  return above
}

/** A config file goes first, then what a Strapi project says of itself; where there is nothing, the sample. */
export async function findSite(asked: StartAsked, telling: Teller): Promise<Site> {
  if (asked.config !== null) return configuredSite(asked.config, asked.folder)
  const project = projectFor(asked, telling)
  if (project !== null) return strapiSite(project, asked, telling)
  telling.print('There is no Strapi project here and no content-router config, so this is the sample.')
  return sampleSite(asked.folder)
}
