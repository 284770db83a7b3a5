import { existsSync, lstatSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Fault } from '../errors'
import { jsonPlace } from '../schema'
import { readCodeText } from './code-text'
import { configPlace } from './config-place'
import { brokenAt } from './parse-module'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What is wrong with the text as such, in words that hold nothing of it. */
function problemOf(place: string, text: string): string | null {
  if (text.trim() === '') return 'is empty'
  const end = extname(place)
  if (end === '.json') return isJson(text) ? null : `is no valid JSON: look at ${jsonPlace(text)}`
  const broken = brokenAt(text)
  if (broken === null) return null
  const look = broken.line === undefined ? '' : `: look at line ${String(broken.line)}`
  return `is no valid ${end === '.ts' ? 'TypeScript' : 'JavaScript'}${look}`
}

function faultAt(root: string, place: string): Fault | null {
  const code = readCodeText(join(root, place))
  const problem = 'unread' in code ? code.unread : problemOf(place, code.text)
  return problem === null ? null : { where: place, problem, remedy: 'mend it' }
}

/** Why no file is read where one is asked for. */
function absent(root: string, folder: string, name: string): Fault {
  const path = join(root, folder)
  if (!existsSync(path))
    return {
      where: folder,
      problem: 'there is no such folder in the project',
      remedy: 'look for where it is',
    }
  const passed = ['.ts', '.js', '.json'].map((end) => join(folder, name + end))
  const place = passed.find((one) => lstatSync(join(root, one), { throwIfNoEntry: false }) !== undefined)
  if (place === undefined) {
    const problem = `holds no ${name}.ts, ${name}.js or ${name}.json`
    return { where: folder, problem, remedy: 'look for where it is' }
  }
  if (lstatSync(join(root, place)).isFile()) {
    const problem = 'does not count, as Strapi reads TypeScript only where there is a tsconfig.json'
    return { where: place, problem, remedy: 'put one beside package.json' }
  }
  const problem = 'is a link or a folder, which Strapi passes over'
  return { where: place, problem, remedy: 'put the file itself there' }
}

/** What is wrong with the files of this name, whatever they say: the first folder has to have one. */
export function configFileFaults(root: string, folders: readonly string[], name: string): readonly Fault[] {
  return folders.flatMap((folder, at) => {
    const place = configPlace(root, folder, name)
    if (place === undefined) return at === 0 ? [absent(root, folder, name)] : []
    return faultAt(root, place) ?? []
  })
}
