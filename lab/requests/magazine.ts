import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileType } from '../../spec/support/oracle-content'
import { recordingOf } from '../../spec/support/recordings'
import { type Defined, type KnownType, vocabularyOf } from './vocabulary'

function uidOf(path: string): string {
  const [, category, component] = /components\/(.+)\/(.+)\.json$/.exec(path) ?? []
  if (category !== undefined && component !== undefined) return `${category}.${component}`
  const [, api, type] = /api\/(.+)\/content-types\/(.+)\/schema\.json$/.exec(path) ?? []
  return `api::${String(api)}.${String(type)}`
}

function definitionsIn(folder: string): Defined[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .map((path) => ({
      ...(JSON.parse(readFileSync(join(folder, path), 'utf8')) as Defined),
      uid: uidOf(path),
    }))
}

/** What can be named of the magazine whose answers of Strapi are recorded. */
export const magazine = vocabularyOf([...definitionsIn(recordingOf('sqlite').contentTypes), fileType])

export const typeOf = (name: string): KnownType => {
  const type = magazine.get(`api::${name}.${name}`)
  if (type === undefined) throw new Error(`The magazine has no ${name}`)
  return type
}
