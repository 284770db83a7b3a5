import { readFileSync } from 'node:fs'
import { withFormats } from './pictures.mjs'

/** Ids follow this order. */
const types = [
  'city',
  'author',
  'category',
  'tag',
  'walk',
  'article',
  'letter',
  'issue',
  'homepage',
  'imprint',
]

const read = (type) => JSON.parse(readFileSync(new URL(`./content/${type}.json`, import.meta.url), 'utf8'))

/** What `seed` is given: the magazine in three languages, English first. */
export function readContent() {
  const entries = Object.fromEntries(types.map((type) => [type, read(type)]))
  return { $locales: ['en', 'fr', 'de'], file: read('file').map(withFormats), ...entries }
}
