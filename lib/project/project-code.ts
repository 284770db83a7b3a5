import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { ReadAction } from '../config'
import { folderName, type Model, type Schema, type Uid } from '../schema'
import { codeElsewhere } from './code-elsewhere'
import { type CodeFile, type CodeReading, holdsCode, readCodeFiles } from './code-file'
import { codeReader } from './code-text'
import { madeByFactory } from './made-by-factory'
import { readRoutes } from './read-routes'
import { namesType } from './read-unreadable'
import { refuseDenied } from './refuse-denied'
import { ReadingBudget } from './reading-budget'
import {
  type ActionReading,
  type Answerer,
  firstAnswerer,
  lockedRoutes,
  noRoutes,
  readsOf,
  type RoutedType,
  type RoutesReading,
} from './routes-reading'
import {
  isStaticFunction,
  isStaticRecord,
  spreadsUnknown,
  type StaticValue,
  unknownValue,
} from './static-value'
import { heaviest, type Weight } from './weight'

/** What a Strapi project runs where a type is read, besides what Strapi brings. */
export interface TypeCode {
  readonly uid: Uid
  /** As seen from the folder of the type's API: `routes/article.ts`, with the reason where one was not read. */
  readonly files: readonly string[]
  readonly reads: readonly ReadAction[]
  /** Those that the code may refuse, or cannot be told not to. */
  readonly guarded: readonly ReadAction[]
  /** Those that the project has no route for: Strapi answers nobody. */
  readonly unrouted: readonly ReadAction[]
  /** Those that a route of the project's own answers, by its own code and permission. */
  readonly replaced: readonly ReadAction[]
}

/** What a Strapi project runs, and the router does not. */
export interface ProjectCode {
  readonly types: readonly TypeCode[]
  /** Files that may add routes or change them, for whichever type: `src/index.ts`. */
  readonly elsewhere: readonly string[]
}

interface Api {
  /** As Strapi calls it. */
  readonly name: string
  /** As it lies in the project. */
  readonly folder: string
  readonly files: readonly CodeFile[]
  readonly models: readonly Model[]
}

/** A type whose code is looked for. */
interface TypeReading {
  readonly model: Model
  /** The API that the type stands in. */
  readonly home: Api
}

const isNothing = (value: StaticValue): boolean =>
  value === undefined || (isStaticRecord(value) && value.size === 0)

function isBare({ value }: CodeFile, factory: string): boolean {
  const made = madeByFactory(value)
  return isNothing(value) || (made?.factory === factory && isNothing(made.besides))
}

/** The core controllers read by the type's service; what else it does is asked for by nobody here. */
function leavesReads({ value }: CodeFile): boolean {
  const made = madeByFactory(value)
  if (made?.factory !== 'createCoreService') return isNothing(value)
  const { besides } = made
  const own = isStaticFunction(besides) ? besides.call([unknownValue]) : besides
  if (own === undefined) return true
  return isStaticRecord(own) && !spreadsUnknown(own) && !own.has('find') && !own.has('findOne')
}

function weigh(file: CodeFile): Weight {
  switch (file.folder) {
    case 'routes':
      return 'nothing'
    case 'controllers':
      return isBare(file, 'createCoreController') ? 'nothing' : 'more'
    case 'services':
      return leavesReads(file) ? 'nothing' : 'more'
    case 'policies':
    case 'middlewares':
      return isNothing(file.value) ? 'nothing' : 'more'
  }
}

/** Which of the types of an API a file is about; all of them where it does not say. */
function isAbout({ name, value }: CodeFile, { uid, singularName }: Model, all: readonly Model[]): boolean {
  const told = madeByFactory(value)?.uid
  if (typeof told === 'string') return told === uid
  const meant = folderName(name)
  return meant === singularName || !all.some((other) => other.singularName === meant)
}

/** What one file says about one type. */
interface FileReading {
  readonly shown: string
  readonly weight: Weight
  readonly routes: RoutesReading
}

function readRoutesOf(file: CodeFile, api: Api, { home, model }: TypeReading): RoutesReading {
  const isHome = api === home
  const place = {
    type: routedType(model),
    api: api.name,
    text: file.text,
    isOwn: isHome && isAbout(file, model, home.models),
    mayComeFirst: isHome || api.folder < home.folder,
  }
  if (file.unread !== null) return isHome || namesType(place) ? lockedRoutes : noRoutes
  const { find, findOne } = readRoutes(file.value, place)
  const known = (reading: ActionReading): ActionReading =>
    !file.isLoaded && reading.answerer === 'core' ? { ...reading, answerer: 'nobody' } : reading
  return { find: known(find), findOne: known(findOne) }
}

const routedType = ({ uid, kind, route }: Model): RoutedType => ({
  uid,
  route: route ?? '',
  isSingle: kind === 'singleType',
})

function readFile(file: CodeFile, api: Api, reading: TypeReading): FileReading {
  const isHome = api === reading.home
  const path = isHome ? file.shown : `../${api.folder}/${file.shown}`
  const shown = file.unread === null ? path : `${path} (not read: it ${file.unread})`
  if (file.folder === 'routes') {
    const routes = readRoutesOf(file, api, reading)
    return { shown, weight: heaviest([routes.find.weight, routes.findOne.weight]), routes }
  }
  const isMeant = isHome && isAbout(file, reading.model, reading.home.models)
  return { shown, weight: isMeant ? weigh(file) : 'nothing', routes: noRoutes }
}

function codeOfType(reading: TypeReading, apis: readonly Api[]): TypeCode {
  const files = apis.flatMap((api) => api.files.map((file) => readFile(file, api, reading)))
  const reads = readsOf(routedType(reading.model))
  const guarded = reads.filter((action) => files.some(({ routes }) => routes[action].weight === 'guards'))
  const answeredBy = (who: Answerer): readonly ReadAction[] =>
    reads.filter(
      (action) =>
        !guarded.includes(action) && firstAnswerer(files.map(({ routes }) => routes[action])) === who,
    )
  return {
    uid: reading.model.uid,
    files: files.filter(({ weight }) => weight !== 'nothing').map(({ shown }) => shown),
    reads,
    guarded,
    unrouted: answeredBy('nobody'),
    replaced: answeredBy('other'),
  }
}

/** All that stand beside each other, whether they hold types or not: their routes are one router. */
function readApis(
  place: string,
  types: ReadonlyMap<string, readonly Model[]>,
  reading: CodeReading,
): readonly Api[] {
  const found = readdirSync(place, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && !entry.name.startsWith('.') ? [join(place, entry.name)] : [],
  )
  return [...new Set([...found, ...types.keys()])].sort().map((path) => ({
    name: folderName(basename(path)),
    folder: basename(path),
    // Strapi passes over a link, and so routes nothing of it.
    files: found.includes(path) ? readCodeFiles(path, reading) : [],
    models: types.get(path) ?? [],
  }))
}

function readProject(place: string, types: ReadonlyMap<string, readonly Model[]>): ProjectCode {
  const [read, src] = [codeReader(), dirname(place)]
  const apis = readApis(place, types, { read, budget: new ReadingBudget() })
  // Definitions without any code are no project that could say what it routes.
  if (apis.every(({ files }) => files.length === 0) && ![...types.keys()].some(holdsCode))
    return { types: [], elsewhere: [] }
  const all = apis.flatMap((home) => home.models.map((model) => codeOfType({ home, model }, apis)))
  return {
    types: all.filter(({ files, unrouted }) => files.length > 0 || unrouted.length > 0),
    elsewhere: codeElsewhere(src, read).map((file) => `${basename(src)}/${file}`),
  }
}

const apiOf = /^((.*[\\/]api)[\\/][^\\/]+)[\\/]content-types[\\/][^\\/]+[\\/]schema\.json$/

/** Reads, and never runs, what stands beside the definitions of a Strapi project. */
export function readProjectCode({ models, places }: Schema): ProjectCode {
  const projects = new Map<string, Map<string, Model[]>>()
  for (const model of models.values()) {
    const [, api, place] = apiOf.exec(resolve(places.get(model.uid) ?? '')) ?? []
    if (api === undefined || place === undefined || model.route === null) continue
    const types = projects.get(place) ?? new Map<string, Model[]>()
    projects.set(place, types.set(api, [...(types.get(api) ?? []), model]))
  }
  const read = [...projects].map(([place, types]) =>
    refuseDenied(dirname(dirname(place)), () => readProject(place, types)),
  )
  return {
    types: read.flatMap(({ types }) => types),
    elsewhere: read.flatMap(({ elsewhere }) => elsewhere),
  }
}
