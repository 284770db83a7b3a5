import { configuredSite } from './configured-site'
import { sampleSite } from './sample-site'
import type { Site } from './site'
import type { StartAsked, Teller } from './start-asked'
import { StartError } from './start-error'
import { strapiFolder } from './strapi-folder'
import { strapiSite } from './strapi-site'

const nothingIn = (folder: string): StartError =>
  new StartError(
    `${folder} holds neither a Strapi project nor a content-router config.\nOther definitions are named by flags: --content-types <folder> --connection <where>`,
  )

/** A config file goes first, then what a Strapi project says of itself; where there is nothing, the sample. */
export async function findSite(asked: StartAsked, telling: Teller): Promise<Site> {
  const { config, folder, isNamed, connection } = asked
  if (config !== null) return configuredSite(config, folder)
  const project = strapiFolder(folder)
  if (project !== null) return strapiSite(project, asked, telling)
  if (isNamed || connection !== null) throw nothingIn(folder)
  telling.print('There is no Strapi project here and no content-router config, so this is the sample.')
  return sampleSite(folder)
}
