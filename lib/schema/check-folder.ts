import { resolve } from 'node:path'
import type { Fault } from '../errors'
import type { FoundDefinition } from './declared'
import { folderName } from './names'
import { singularNameOf } from './read-paths'

const placeOfType = /[\\/](api|extensions)[\\/][^\\/]+[\\/]content-types[\\/]([^\\/]+)[\\/]schema\.json$/

/** Strapi finds a type by its folder as well as by its name, and does not start where these are two. */
export function checkFolder({ where, component, value }: FoundDefinition): readonly Fault[] {
  const [, from, folder] = placeOfType.exec(resolve(where)) ?? []
  if (component || folder === undefined) return []
  // The folders of extensions are looked up as they are written.
  const expected = from === 'api' ? folderName(folder) : folder
  const name = singularNameOf(value, expected)
  if (name === expected) return []
  const problem = `${JSON.stringify(name)} lies in a folder that stands for ${JSON.stringify(expected)}`
  return [
    {
      where,
      pointer: '/info/singularName',
      problem,
      remedy: 'rename one of them: Strapi does not start with it',
    },
  ]
}
