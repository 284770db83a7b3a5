import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ReadCode } from './code-text'

const foldersIn = (place: string): readonly string[] =>
  existsSync(place)
    ? readdirSync(place, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [entry.name] : [],
      )
    : []

const endings = ['.ts', '.js']

const named = (folder: string, name: string): readonly string[] =>
  endings.map((end) => `${folder}${name}${end}`)

/** It may route, or refuse who asks, or have that done elsewhere. */
const mayRoute = (text: string): boolean =>
  /\brout|\bserver\b|\bapis\b|\.api\b|polic|\bcontroller/i.test(text) ||
  /(?:from|require\s*\(|import)\s*(['"`])\./.test(text)

/** Files of a project that are run at its start and may add routes, or change those that are there; as seen from `src`. */
export function codeElsewhere(src: string, read: ReadCode): readonly string[] {
  const files = [
    ...named('', 'index'),
    ...foldersIn(join(src, 'extensions')).flatMap((name) => named(`extensions/${name}/`, 'strapi-server')),
    ...foldersIn(join(src, 'api')).flatMap((name) => named(`api/${name}/`, 'index')),
  ]
  return files.filter((file) => {
    if (!existsSync(join(src, file))) return false
    const code = read(join(src, file))
    return 'unread' in code || mayRoute(code.text)
  })
}
