import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'

/** Strapi is told by this file that a project is to be compiled. */
export const isCompiledProject = (root: string): boolean => existsSync(join(root, 'tsconfig.json'))

const isPlainFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/**
 * The file of a project that says what this name is about, as seen from the project: `config/database.ts`. Without a
 * compiler, Strapi knows nothing of TypeScript. Folders and links it passes over.
 */
export function configPlace(root: string, folder: string, name: string): string | undefined {
  return [...(isCompiledProject(root) ? ['.ts'] : []), '.js', '.json']
    .map((end) => join(folder, name + end))
    .find((place) => isPlainFile(join(root, place)))
}
