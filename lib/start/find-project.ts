import { join, relative } from 'node:path'
import type { Teller } from './start-asked'
import { StartError } from './start-error'
import { type StrapiFolder, strapiFolder, strapiFolderAbove, strapiFoldersBelow } from './strapi-folder'

export interface ProjectSought {
  readonly folder: string
  /** Whether a person named the folder: then it is this one or none. */
  readonly isNamed: boolean
  /** What a person writes to have the project of another folder. */
  readonly choose: (folder: string) => string
}

export const nothingIn = (folder: string, next: string): StartError =>
  new StartError(`${folder} holds neither a Strapi project nor a content-router config.\n${next}`)

/** The project of the folder; or the one that lies below or above it, where the person named none. */
export function findProject(
  { folder, isNamed, choose }: ProjectSought,
  { print }: Pick<Teller, 'print'>,
): StrapiFolder | null {
  const here = strapiFolder(folder)
  if (here !== null) return here
  const below = strapiFoldersBelow(folder)
  if (below.length > 1) {
    const ways = below.map((name) => `  ${choose(name)}`)
    throw new StartError(['There are several Strapi projects here. Choose one:', ...ways].join('\n'))
  }
  const [only] = below
  if (only !== undefined) {
    print(`Nothing is here, and a Strapi project in ${only}.`)
    return strapiFolder(join(folder, only))
  }
  const above = strapiFolderAbove(folder)
  if (above === null) return null
  if (isNamed) throw nothingIn(folder, `A Strapi project lies above it: ${choose(above.root)}`)
  print(`Nothing is here, and a Strapi project in ${relative(folder, above.root)}.`)
  return above
}
