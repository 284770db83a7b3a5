import type { Dirent } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Fault } from '../errors'
import { folderName } from './names'

/** A folder of a Strapi project of which nothing is read, and why. */
export interface PassedOver {
  readonly folder: string
  readonly fault: Fault
}

const passed = (folder: string, problem: string, remedy: string): PassedOver => ({
  folder,
  fault: { where: folder, problem, remedy },
})

const isApi = (path: string): boolean => basename(path) === 'api'

const holdsTypes = (path: string): boolean =>
  basename(path) === 'content-types' && isApi(dirname(dirname(path)))

/** What Strapi keeps by its name: APIs, which are no links, and their types. */
const isNamed = (path: string, entry: Dirent): boolean =>
  isApi(path) ? entry.isDirectory() : holdsTypes(path) && !entry.isFile()

/** Of `blog_posts` and `blog-posts`, in this order, Strapi keeps the last, with all that lies in it. */
function replacedIn(path: string, inOrder: readonly Dirent[]): readonly PassedOver[] {
  const named = inOrder.filter((entry) => isNamed(resolve(path), entry))
  const last = new Map(named.map(({ name }) => [folderName(name), name]))
  return named.flatMap(({ name }): readonly PassedOver[] => {
    const by = last.get(folderName(name)) ?? name
    if (by === name) return []
    const remedy = 'rename one of them: Strapi reads the last alone'
    return [passed(join(path, name), `is called as ${join(path, by)} is`, remedy)]
  })
}

const inCode = /^schema\.[jt]s$/

/** Strapi would run it, which is not done here. */
function writtenInCode(path: string, entries: readonly Dirent[]): readonly PassedOver[] {
  const code = entries.find(({ name }) => inCode.test(name))
  if (code === undefined || !holdsTypes(dirname(resolve(path)))) return []
  if (entries.some(({ name }) => name === 'schema.json')) return []
  return [passed(path, `holds its type in ${code.name}, which is not run`, 'write it as schema.json')]
}

export const passedOverIn = (path: string, inOrder: readonly Dirent[]): readonly PassedOver[] => [
  ...replacedIn(path, inOrder),
  ...writtenInCode(path, inOrder),
]
