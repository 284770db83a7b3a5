import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Environment } from './dot-env'
import { isBeside } from './imported-names'
import type { ModuleExports, Scope } from './scope'
import {
  isList,
  staticFunction,
  staticRecord,
  type StaticFunction,
  type StaticValue,
  unknownValue,
} from './static-value'

const texts = (given: readonly StaticValue[]): given is readonly string[] =>
  given.every((one) => typeof one === 'string')

const onTexts = (make: (...given: string[]) => string): StaticFunction =>
  staticFunction((given) => (texts(given) ? make(...given) : unknownValue))

const path = staticRecord({ dirname: onTexts(dirname), join: onTexts(join), resolve: onTexts(resolve) })

function fileOf(text: string): StaticValue {
  try {
    return fileURLToPath(text)
  } catch {
    return unknownValue
  }
}

const url = staticRecord({
  fileURLToPath: staticFunction(([text]) => (typeof text === 'string' ? fileOf(text) : unknownValue)),
})

type VariableReading = (text: string) => StaticValue

function parsedJson(text: string): StaticValue {
  try {
    return staticOf(JSON.parse(text))
  } catch {
    return unknownValue
  }
}

/** A value of JSON's. */
export function staticOf(value: unknown): StaticValue {
  if (Array.isArray(value)) return value.map(staticOf)
  if (typeof value === 'object' && value !== null)
    return new Map(Object.entries(value).map(([name, inner]: [string, unknown]) => [name, staticOf(inner)]))
  return value as string | number | boolean | null
}

const listIn: VariableReading = (text) => {
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  return inner.split(',').map((one) => one.replace(/^ +| +$/g, '').replace(/^"+|"+$/g, ''))
}

/** What Strapi hands to each of its configuration files. */
export function envFunction(env: Environment): StaticFunction {
  const reading = (read: VariableReading): StaticFunction =>
    staticFunction(([name, otherwise]) => {
      if (typeof name !== 'string') return unknownValue
      const text = env[name]
      return text === undefined ? otherwise : read(text)
    })
  const oneOf = staticFunction(([name, values, otherwise]) => {
    if (typeof name !== 'string' || values === undefined || !isList(values)) return unknownValue
    const text = env[name] ?? otherwise
    return values.includes(text) ? text : otherwise
  })
  const plain = reading((text) => text)
  return staticFunction(plain.call, {
    int: reading((text) => parseInt(text, 10)),
    float: reading(parseFloat),
    bool: reading((text) => text === 'true'),
    json: reading(parsedJson),
    array: reading(listIn),
    oneOf,
  })
}

const toNumber = staticFunction(([value]) => (typeof value === 'string' ? Number(value) : unknownValue))

/** A word is made of a value that holds no others. */
const toText = staticFunction(([value]) =>
  typeof value === 'symbol' || (typeof value === 'object' && value !== null) ? unknownValue : String(value),
)

const isKnownTrue = staticFunction(([value]) => (value === unknownValue ? unknownValue : Boolean(value)))

const whole = staticFunction(([value, base]) =>
  typeof value === 'string' && (base === undefined || base === 10) ? parseInt(value, 10) : unknownValue,
)

const nothing = staticFunction(() => undefined)

/** What is said to a person changes nothing. */
const tellers = staticRecord({ log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing })

const same = staticFunction(([config]) => config)

/** They hold a configuration against its types and hand it back. */
const factories = staticRecord({
  defineConfig: staticFunction(([, config]) => config),
  ...Object.fromEntries(
    ['Admin', 'Api', 'Database', 'Plugins', 'Server'].map((name) => [`define${name}Config`, same]),
  ),
})

/** What a configuration file of Strapi's may look at, as far as it is known without running it. */
export function configScope(
  file: string,
  root: string,
  env: Environment,
  beside: (path: string) => ModuleExports | null,
): Scope {
  const folder = dirname(file)
  const modules = new Map<string, StaticValue>([
    ['path', path],
    ['node:path', path],
    ['url', url],
    ['node:url', url],
    ['@strapi/strapi', staticRecord({ factories })],
  ])
  const variables = staticRecord(env)
  const process = staticRecord({ env: variables, cwd: staticFunction(() => root) })
  const required = (name: string): StaticValue => {
    if (!isBeside(name)) return modules.get(name) ?? unknownValue
    const module = beside(name)
    if (module === null) return unknownValue
    return module.isCommon ? module.named.get('default') : module.named
  }
  return {
    modules,
    beside,
    names: new Map<string, StaticValue>([
      ['__dirname', folder],
      ['__filename', file],
      ['import.meta', staticRecord({ url: pathToFileURL(file).href, dirname: folder, filename: file })],
      ['process', process],
      ['Number', toNumber],
      ['parseInt', whole],
      ['String', toText],
      ['Boolean', isKnownTrue],
      ['console', tellers],
      ['require', staticFunction(([name]) => (typeof name === 'string' ? required(name) : unknownValue))],
    ]),
  }
}
