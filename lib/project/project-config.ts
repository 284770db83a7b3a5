import { extname, join } from 'node:path'
import type { Fault } from '../errors'
import { readCodeText } from './code-text'
import { configFileFaults } from './config-file-faults'
import { configPlace, isCompiledProject } from './config-place'
import { importedFiles, type ConfigReading } from './imported-files'
import { envFunction, staticOf } from './config-scope'
import { type Environment, faultsOfDotEnv, readDotEnv } from './dot-env'
import { readable } from './readable'
import { ReadingBudget } from './reading-budget'
import {
  isList,
  isOpenList,
  isStaticFunction,
  isStaticRecord,
  spreadsUnknown,
  staticRecord,
  type StaticValue,
  unknownValue,
  valueAt,
} from './static-value'

/** What the files below `config` say. */
export interface ProjectConfig {
  readonly env: Environment
  /** What stands at a path of a file: `api`, `rest.maxLimit`. Undefined where nothing does. */
  readonly at: (file: string, path: string) => StaticValue
  /** As seen from the project: `config/api.ts`, and what lies over it. */
  readonly placesOf: (file: string) => readonly string[]
  /** What is wrong with these files as such. */
  readonly faultsOf: (file: string) => readonly Fault[]
  readonly faultsOfEnv: () => readonly Fault[]
}

const isTemplate = (value: StaticValue): boolean => typeof value === 'string' && value.includes('${')

/** Strapi fills the templates in JSON from the environment, by rules of lodash's. */
function withoutTemplates(value: StaticValue): StaticValue {
  if (isTemplate(value)) return unknownValue
  if (!isStaticRecord(value)) return value
  return new Map([...value].map(([name, inner]) => [name, withoutTemplates(inner)]))
}

function readJson(path: string): StaticValue {
  const code = readCodeText(path)
  if ('unread' in code) return unknownValue
  try {
    return withoutTemplates(staticOf(JSON.parse(code.text)))
  } catch {
    return unknownValue
  }
}

function readConfigFile(reading: ConfigReading, folder: string, name: string): StaticValue {
  const { root, env } = reading
  const place = configPlace(root, folder, name)
  if (place === undefined) return undefined
  if (extname(place) === '.json') return readJson(join(root, place))
  const made = importedFiles({ ...reading, budget: reading.budget.ofFile() })(place)
  const value = made === null ? unknownValue : made.named.get('default')
  return isStaticFunction(value) ? value.call([staticRecord({ env: envFunction(env) })]) : value
}

/** As lodash's `merge`, by which Strapi does it: lists are laid over each other place by place. */
function merged(base: StaticValue, over: StaticValue, budget: ReadingBudget): StaticValue {
  if (over === undefined) return base
  budget.spend(1)
  if (isOpenList(over) || isOpenList(base)) return unknownValue
  if (isList(base) && isList(over)) {
    const length = Math.max(base.length, over.length)
    budget.spend(length)
    return Array.from({ length }, (_, index) => merged(base[index], over[index], budget))
  }
  if (!isStaticRecord(base) || !isStaticRecord(over)) return over
  budget.spend(base.size + over.size)
  const both = new Map(base)
  // Any of those below may be meant.
  if (spreadsUnknown(over)) for (const name of base.keys()) both.set(name, unknownValue)
  for (const [name, value] of over) both.set(name, merged(base.get(name), value, budget))
  return both
}

/** As in Strapi: what the process has wins over the file. */
function environmentOf(root: string, env: Environment): Environment {
  const set = Object.entries(env).filter(([, value]) => value !== undefined)
  return { ...readDotEnv(root, env), ...Object.fromEntries(set) }
}

export function readProjectConfig(root: string, given: Environment): ProjectConfig {
  const env = environmentOf(root, given)
  const reading = {
    root,
    env,
    isCompiled: isCompiledProject(root),
    budget: new ReadingBudget(),
  }
  // An empty one says nothing.
  const name = env['NODE_ENV'] === '' ? undefined : env['NODE_ENV']
  const folders = ['config', join('config', 'env', name ?? 'development')] as const
  const known = new Map<string, StaticValue>()
  const read = (file: string): StaticValue => {
    const [base, over] = folders.map((folder) => readConfigFile(reading, folder, file))
    const budget = reading.budget.ofFile()
    return readable(budget, () => merged(base, over, budget))
  }
  return {
    env,
    at: (file, path) => {
      if (!known.has(file)) known.set(file, read(file))
      return valueAt(known.get(file), path)
    },
    placesOf: (file) => folders.flatMap((folder) => configPlace(root, folder, file) ?? []),
    faultsOf: (file) => configFileFaults(root, folders, file),
    faultsOfEnv: () => faultsOfDotEnv(root, given),
  }
}
