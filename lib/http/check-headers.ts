import type { TypeHeaders } from '../config'
import type { Fault } from '../errors'
import { modelNamed, nearest, type Schema } from '../schema'

const isText = (value: unknown): boolean => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)
const isName = (value: unknown): boolean => typeof value === 'string' && /^[\w-]+$/.test(value)
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isName)

const checks: Readonly<
  Record<keyof TypeHeaders, { readonly fits: (value: unknown) => boolean; readonly problem: string }>
> = {
  cacheControl: { fits: isText, problem: 'is no text of directives' },
  vary: { fits: isNames, problem: 'is no list of names of headers' },
  shared: { fits: (value) => typeof value === 'boolean', problem: 'is neither true nor false' },
}

/** Who may keep an answer depends on who asked, so that a text for everybody cannot say it. */
const namesScope = (value: unknown): boolean =>
  typeof value === 'string' && /(^|[\s,])(public|private)($|[\s,=])/i.test(value)

function wrongHeader(where: string, name: string, value: unknown): Fault[] {
  if (!Object.hasOwn(checks, name)) return [{ where, problem: 'there is no such option' }]
  if (name === 'cacheControl' && namesScope(value)) {
    const remedy = 'leave it to the role; shared: true makes the answers to all roles public'
    return [{ where, problem: 'says public or private', remedy }]
  }
  const { fits, problem } = checks[name as keyof TypeHeaders]
  return fits(value) ? [] : [{ where, problem }]
}

export function wrongHeaders(headers: unknown, schema: Schema): Fault[] {
  if (headers === undefined) return []
  if (typeof headers !== 'object' || headers === null) {
    return [{ where: 'headers', problem: 'is no table of types', remedy: `use { '*': { cacheControl } }` }]
  }
  const names = [...schema.models.values()].flatMap(({ singularName, uid }) => [singularName, uid])
  return Object.entries(headers).flatMap(([type, given]: [string, unknown]): Fault[] => {
    const where = `headers.${type}`
    if (type !== '*' && modelNamed(schema, type) === undefined) {
      const near = nearest(type, names)
      const remedy = near === undefined ? {} : { remedy: `did you mean ${near}?` }
      return [{ where, problem: `there is no type ${type}`, ...remedy }]
    }
    if (typeof given !== 'object' || given === null) return [{ where, problem: 'is no table of headers' }]
    return Object.entries(given).flatMap(([name, value]: [string, unknown]) =>
      wrongHeader(`${where}.${name}`, name, value),
    )
  })
}
