import type { Dirent } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Fault } from '../errors'
import { folderName } from './names'

/** A folder of a Strapi project that another one stands in place of. */
export interface ReplacedFolder {
  readonly folder: string
  readonly by: string
}

const isApi = (path: string): boolean => basename(path) === 'api'

/** What Strapi keeps by its name: APIs, which are no links, and their types. */
function isNamed(path: string, entry: Dirent): boolean {
  if (isApi(path)) return entry.isDirectory()
  const isTypes = basename(path) === 'content-types' && isApi(dirname(dirname(path)))
  return isTypes && !entry.isFile()
}

/** Of `blog_posts` and `blog-posts`, in this order, Strapi keeps the last, with all that lies in it. */
export function replacedIn(path: string, inOrder: readonly Dirent[]): readonly ReplacedFolder[] {
  const named = inOrder.filter((entry) => isNamed(resolve(path), entry))
  const last = new Map(named.map(({ name }) => [folderName(name), name]))
  return named.flatMap(({ name }): readonly ReplacedFolder[] => {
    const by = last.get(folderName(name)) ?? name
    return by === name ? [] : [{ folder: join(path, name), by: join(path, by) }]
  })
}

export const faultOfReplaced = ({ folder, by }: ReplacedFolder): Fault => ({
  where: folder,
  problem: `is called as ${by} is`,
  remedy: 'rename one of them: Strapi reads the last alone',
})
