import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { promiseHooks } from 'node:v8'
import { compileFunction, type Context, createContext, runInContext } from 'node:vm'
import type * as Compiler from 'jiti'

/** A file of the project that cannot be loaded. */
export class ProjectFileError extends Error {
  constructor(
    readonly place: string,
    readonly problem: string,
  ) {
    super(`${place}: ${problem}`)
  }
}

/** Messages of the project's own errors may hold secrets, so they are left out. */
function problemOf({ name, code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'takes too long to load'
  if (code === 'MODULE_NOT_FOUND')
    return `requires ${/'.+?'/.exec(message)?.[0] ?? 'a file'}, which is missing`
  return name === 'ReferenceError' ? message : `fails with ${code ?? name}`
}

export function fileErrorAt(place: string, error: unknown): ProjectFileError {
  if (error instanceof ProjectFileError) return error
  const thrown = Object(error) as NodeJS.ErrnoException
  const stack = String(thrown.stack)
  const line = /^\d+/.exec(stack.split(`${place}:`)[1] ?? '')
  const problem =
    thrown.name === 'SyntaxError' && stack.startsWith(place) ? 'has a syntax error' : problemOf(thrown)
  return new ProjectFileError(place, line === null ? problem : `${problem}, line ${line[0]}`)
}

/** The files that Strapi generates. Four of five files are such, and compiling one takes milliseconds. */
const generated =
  /^\s*(?:\/\*(?:(?!\*\/)[^])*\*\/\s*)?import \{ factories \} from (['"])@strapi\/strapi\1;?\s*export default (factories\.createCore\w+\((['"])[\w:.-]+\3)(?: as any)?\);?\s*$/

/** As CommonJS, with the same lines. */
function compile(source: string, place: string, runsAs: string): string {
  if (place.endsWith('.json')) return `module.exports = ${source}`
  const ts = /\.tsx?$/.test(place)
  if (!ts && !/\b(?:import|export)\b/.test(source)) return source
  const [, , made] = generated.exec(source) ?? []
  if (made !== undefined) return `const { factories } = require('@strapi/strapi'); module.exports = ${made})`
  // Only a process that loads a project pays for the compiler.
  const { createJiti } = require('jiti') as typeof Compiler
  const given = { source, filename: runsAs, ts, retainLines: true }
  const code = createJiti(runsAs, { fsCache: false }).transform(given)
  const [, line] = /^exports\.__JITI_ERROR__ = .*?"line":(\d+)/.exec(code) ?? []
  if (line !== undefined) throw new ProjectFileError(place, `has a syntax error, line ${line}`)
  return code
}

/** As Node resolves it once TypeScript is compiled. */
function fileAt(root: string, path: string): string {
  const bases = [path, path.replace(/\.js$/, ''), join(path, 'index')]
  const found = ['', '.ts', '.js', '.json'].flatMap((end) => bases.map((base) => base + end))
  const file = found.find((name) => statSync(join(root, name), { throwIfNoEntry: false })?.isFile() === true)
  if (file === undefined) throw new ProjectFileError(path, 'is required, but missing')
  return file
}

/** Strapi compiles a project that has this file. */
export const isCompiledProject = (root: string): boolean => existsSync(join(root, 'tsconfig.json'))

/** How the files of one project are loaded. */
export interface ModuleLoading {
  readonly root: string
  /** The `require` of a file, for packages. */
  readonly requireFrom: (place: string) => (name: string) => unknown
  /** Variables of each module, beside those of CommonJS. */
  readonly variables?: Readonly<Record<string, unknown>>
  readonly context?: Context
}

/** Loads files by their paths in the project, each once, and returns their default exports. */
export function moduleLoader({
  root,
  requireFrom,
  variables = {},
  context,
}: ModuleLoading): (place: string) => unknown {
  const modules = new Map<string, { exports: unknown }>()
  const names = ['exports', 'require', 'module', '__filename', '__dirname', ...Object.keys(variables)]
  // Compiled files show where they lie.
  const folder = isCompiledProject(root) ? join(root, 'dist') : root

  function run(place: string, module: { exports: unknown }): void {
    const runsAs = join(folder, place.replace(/\.tsx?$/, '.js'))
    const code = compile(readFileSync(join(root, place), 'utf8'), place, runsAs)
    const body = compileFunction(code, names, {
      filename: place,
      ...(context && { parsingContext: context }),
    }) as (...values: readonly unknown[]) => void
    const requirePackage = requireFrom(place)
    const require = (name: string): unknown => {
      const path = normalize(join(dirname(place), name))
      const isOwn = /^\.\.?(?:\/|$)/.test(name) && !path.startsWith('..')
      return isOwn ? load(fileAt(root, path)) : requirePackage(name)
    }
    Object.assign(require, requirePackage)
    body(module.exports, require, module, runsAs, dirname(runsAs), ...Object.values(variables))
  }

  function load(place: string): unknown {
    const known = modules.get(place)
    if (known !== undefined) return known.exports
    const module = { exports: {} as unknown }
    modules.set(place, module)
    try {
      run(place, module)
    } catch (error) {
      // Another file that requires it must not see half of it.
      modules.delete(place)
      throw fileErrorAt(place, error)
    }
    return module.exports
  }

  return (place: string): unknown => {
    const made = load(place)
    const { __esModule: isCompiled, default: byDefault } = Object(made) as Record<string, unknown>
    return isCompiled === true ? byDefault : made
  }
}

/** Code after an `await` never runs in the context below, so what it would change is unknown. */
function withoutPromises<T>(work: () => T): T {
  const promises: Promise<unknown>[] = []
  const stop = promiseHooks.onInit((promise) => promises.push(promise)) as () => void
  try {
    const made = work()
    if (promises.length > 0) throw new ReferenceError('asynchronous code is not available')
    return made
  } finally {
    stop()
    // An unhandled rejection would end this process.
    for (const promise of promises) promise.then(undefined, () => undefined)
  }
}

export type LoadFile = <T>(file: string, use: (made: unknown) => T) => T

/**
 * Loads files without the globals of this process, and at most ten seconds for each. A function is called with `given`,
 * as Strapi does.
 */
export function isolatedLoader(
  root: string,
  requirePackage: (name: string) => unknown,
  given: Readonly<Record<string, unknown>>,
): LoadFile {
  // Microtasks of this context never run, as nothing is evaluated in it.
  const context = createContext(
    { ...given },
    { codeGeneration: { strings: false, wasm: false }, microtaskMode: 'afterEvaluate' },
  )
  const load = moduleLoader({ root, context, requireFrom: () => requirePackage })
  const bounds = createContext({})
  return <T>(file: string, use: (made: unknown) => T): T => {
    const work = (): T => {
      const made = load(file)
      return use(typeof made === 'function' ? (made as (strapi: object) => unknown)(given) : made)
    }
    try {
      Object.assign(bounds, { work })
      return withoutPromises(() => runInContext('work()', bounds, { timeout: 10_000 }) as T)
    } catch (error) {
      throw fileErrorAt(file, error)
    }
  }
}
