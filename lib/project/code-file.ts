import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { ReadCode } from './code-text'
import { factoryScope } from './factory-scope'
import { evaluateModule } from './evaluate'
import type { ReadingBudget } from './reading-budget'
import { isStaticFunction, staticRecord, type StaticValue, unknownValue } from './static-value'

export interface CodeFile {
  readonly folder: CodeFolder
  /** Without the extension. */
  readonly name: string
  /** As seen from the folder of its API: `routes/article.ts`. */
  readonly shown: string
  /** Empty where it was not looked into. */
  readonly text: string
  readonly value: StaticValue
  readonly unread: string | null
  /** Whether Strapi loads it, as far as its name and those beside it tell. */
  readonly isLoaded: boolean
}

const codeFolders = ['routes', 'controllers', 'services', 'policies', 'middlewares'] as const
export type CodeFolder = (typeof codeFolders)[number]

/** Whatever Strapi's loader may take, before or after TypeScript is compiled: names that begin with a dot as well. */
const isCode = (name: string): boolean =>
  /\.(js|tsx?|json)$/.test(name) && !/\.(d|test|spec)\.tsx?$/.test(name)

/** A compiler leaves these out, so that they are there in projects of JavaScript alone. */
const isMarginal = (name: string): boolean => name.startsWith('.') || /\.(test|spec)\.[^.]+$/.test(name)

const withoutEnding = (name: string): string => basename(name, extname(name))

/** Strapi keeps files by their names in kebab-case: of two the last one stays. */
const slotOf = (name: string): string =>
  withoutEnding(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Where there is a compiler, it takes TypeScript before JavaScript of the same name, and nothing but code. */
function compiled(names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    if (!isCode(name)) return false
    return (
      extname(name) !== '.js' ||
      !names.some((other) => /\.tsx?$/.test(other) && withoutEnding(other) === withoutEnding(name))
    )
  })
}

/** Strapi is told by this file that a project is to be compiled. */
const isCompiled = (api: string): boolean => existsSync(join(api, '..', '..', '..', 'tsconfig.json'))

function namesIn(place: string, api: string): readonly string[] {
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  const isFile = (entry: Dirent): boolean => !entry.isDirectory() && extname(entry.name) !== '.map'
  const names = readdirSync(place, { withFileTypes: true })
    .filter(isFile)
    .map(({ name }) => name)
  return isCompiled(api) ? compiled(names) : names
}

/** How the code of a project is read. */
export interface CodeReading {
  readonly read: ReadCode
  readonly budget: ReadingBudget
}

/** Strapi calls what routes, where that is a function. */
const instantiated = (value: StaticValue): StaticValue =>
  isStaticFunction(value) ? value.call([staticRecord({ strapi: unknownValue })]) : value

type FileContents = Pick<CodeFile, 'text' | 'value' | 'unread'>

function readFile(place: string, isRouting: boolean, { read, budget }: CodeReading): FileContents {
  const code = read(place)
  if ('unread' in code) return { text: '', value: unknownValue, unread: code.unread }
  const { text } = code
  const left = budget.ofFile()
  // JSON is an expression of JavaScript's.
  const module = place.endsWith('.json') ? `module.exports = ${text}` : text
  const made = evaluateModule(module, factoryScope, left)
  const value = isRouting ? instantiated(made) : made
  return { text, value, unread: left.isSpent ? 'takes too many steps' : null }
}

function readFolder(api: string, folder: CodeFolder, reading: CodeReading): readonly CodeFile[] {
  const place = join(api, folder)
  const names = namesIn(place, api)
  const isAlone = (name: string): boolean =>
    names.filter((other) => slotOf(other) === slotOf(name)).length === 1
  return names
    .filter(isCode)
    .sort()
    .map((name) => {
      const known = { folder, name: withoutEnding(name), shown: `${folder}/${name}` }
      const file = readFile(join(place, name), folder === 'routes', reading)
      return { ...known, ...file, isLoaded: file.unread === null && isAlone(name) && !isMarginal(name) }
    })
}

/** Whether an API has any code, be it behind a link. */
export const holdsCode = (api: string): boolean =>
  codeFolders.some((folder) => namesIn(join(api, folder), api).some(isCode))

/** What stands in the folders of an API that hold code. */
export const readCodeFiles = (api: string, reading: CodeReading): readonly CodeFile[] =>
  codeFolders.flatMap((folder) => readFolder(api, folder, reading))
