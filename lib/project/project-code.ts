import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { once } from '../memory'
import type { Model, Schema, Uid } from '../schema'
import { factoryScope, madeByFactory } from './core-factory'
import { evaluateModule } from './evaluate'
import { readRoutes, type RoutedType, type Weight } from './read-routes'
import {
  isStaticFunction,
  isStaticRecord,
  spreadsUnknown,
  type StaticValue,
  unknownValue,
} from './static-value'

/** What a Strapi project runs where a type is read, besides what Strapi brings. */
export interface ProjectCode {
  readonly uid: Uid
  /** As seen from the folder of the type's API: `routes/article.ts`. */
  readonly files: readonly string[]
  /** May refuse who asks, or cannot be told not to. */
  readonly guards: boolean
}

interface CodeFile {
  readonly folder: CodeFolder
  /** Without the extension. */
  readonly name: string
  readonly shown: string
  readonly text: string
  readonly value: StaticValue
}

const folders = ['routes', 'controllers', 'services', 'policies', 'middlewares'] as const
type CodeFolder = (typeof folders)[number]

/** What Strapi's loader takes, before or after TypeScript is compiled. */
const isCode = (name: string): boolean =>
  !name.startsWith('.') && /\.(js|ts|json)$/.test(name) && !name.endsWith('.d.ts')

function valueOf(path: string, text: string): StaticValue {
  // JSON is an expression of JavaScript's.
  return evaluateModule(extname(path) === '.json' ? `module.exports = ${text}` : text, factoryScope)
}

function readFolder(api: string, folder: CodeFolder): readonly CodeFile[] {
  const place = join(api, folder)
  if (!existsSync(place)) return []
  const names = readdirSync(place, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() || !isCode(entry.name) ? [] : [entry.name],
  )
  return names.sort().map((name) => {
    const text = readFileSync(join(place, name), 'utf8')
    const value = valueOf(name, text)
    return { folder, name: basename(name, extname(name)), shown: `${folder}/${name}`, text, value }
  })
}

const isNothing = (value: StaticValue): boolean =>
  value === undefined || (isStaticRecord(value) && value.size === 0)

function isBare({ value }: CodeFile, factory: string): boolean {
  const made = madeByFactory(value)
  return isNothing(value) || (made?.factory === factory && isNothing(made.besides))
}

/** The core controllers read by the type's service; what else it does is not called by this router. */
function leavesReads({ value }: CodeFile): boolean {
  const made = madeByFactory(value)
  if (made?.factory !== 'createCoreService') return isNothing(value)
  const { besides } = made
  const own = isStaticFunction(besides) ? besides.call([unknownValue]) : besides
  if (own === undefined) return true
  return isStaticRecord(own) && !spreadsUnknown(own) && !own.has('find') && !own.has('findOne')
}

function weigh(file: CodeFile, type: RoutedType): Weight {
  switch (file.folder) {
    case 'routes':
      return readRoutes(file.value, file.text, type)
    case 'controllers':
      return isBare(file, 'createCoreController') ? 'nothing' : 'more'
    case 'services':
      return leavesReads(file) ? 'nothing' : 'more'
    case 'policies':
    case 'middlewares':
      return isNothing(file.value) ? 'nothing' : 'more'
  }
}

const apiOf = /^(.*[\\/]api[\\/][^\\/]+)[\\/]content-types[\\/][^\\/]+[\\/]schema\.json$/

/** Which of the types of an API a file is about; all of them where it does not say. */
function isAbout({ name, value }: CodeFile, { uid, singularName }: Model, all: readonly Model[]): boolean {
  const told = madeByFactory(value)?.uid
  if (typeof told === 'string') return told === uid
  return name === singularName || !all.some((other) => other.singularName === name)
}

function codeOfType(files: readonly CodeFile[], model: Model, all: readonly Model[]): ProjectCode[] {
  const { uid, kind, route } = model
  const type = { route: route ?? '', isSingle: kind === 'singleType' }
  const weighed = files
    .filter((file) => isAbout(file, model, all))
    .map((file) => ({ shown: file.shown, weight: weigh(file, type) }))
    .filter(({ weight }) => weight !== 'nothing')
  if (weighed.length === 0) return []
  const guards = weighed.some(({ weight }) => weight === 'guards')
  return [{ uid, files: weighed.map(({ shown }) => shown), guards }]
}

/** Reads, and never runs, what stands beside the definitions of a Strapi project. */
export function readProjectCode({ models, places }: Schema): readonly ProjectCode[] {
  const byApi = new Map<string, Model[]>()
  for (const model of models.values()) {
    const [, api] = apiOf.exec(places.get(model.uid) ?? '') ?? []
    if (api !== undefined && model.route !== null) once(byApi, api, (): Model[] => []).push(model)
  }
  return [...byApi].flatMap(([api, own]) => {
    const files = folders.flatMap((folder) => readFolder(api, folder))
    return own.flatMap((model) => codeOfType(files, model, own))
  })
}

export const describeProjectCode = ({ uid, files, guards }: ProjectCode): string =>
  `${uid}: ${files.join(', ')}${guards ? ' (may refuse who asks)' : ''}`
