import type { CoreConfig, TypeHeaders } from '../config'
import type { Fault } from '../errors'
import { didYouMean, type Schema } from '../schema'
import { faultsOfType, isPlainTable } from './wrong-permissions'

const isText = (value: unknown): boolean => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)
const isName = (value: unknown): boolean => typeof value === 'string' && /^[\w-]+$/.test(value)

const headerChecks: Readonly<
  Record<keyof TypeHeaders, { readonly fits: (value: unknown) => boolean; readonly problem: string }>
> = {
  cacheControl: { fits: isText, problem: 'is no text of directives' },
  vary: {
    fits: (value) => Array.isArray(value) && value.every(isName),
    problem: 'is no list of names of headers',
  },
  shared: { fits: (value) => typeof value === 'boolean', problem: 'is neither true nor false' },
}

/** Who may keep an answer depends on the role, so that a text for all roles cannot say it. */
const namesScope = (value: unknown): boolean =>
  typeof value === 'string' && /(^|[\s,])(public|private)($|[\s,=])/i.test(value)

function faultsOfHeader(where: string, name: string, value: unknown): Fault[] {
  if (!Object.hasOwn(headerChecks, name)) {
    const remedy = didYouMean(name, Object.keys(headerChecks))
    return [{ where, problem: 'there is no such option', remedy }]
  }
  if (name === 'cacheControl' && namesScope(value)) {
    const remedy = 'leave it to the role; shared: true makes the answers to all roles public'
    return [{ where, problem: 'says public or private', remedy }]
  }
  const { fits, problem } = headerChecks[name as keyof TypeHeaders]
  return fits(value) ? [] : [{ where, problem }]
}

function faultsOfHeaders(headers: unknown, schema: Schema): Fault[] {
  if (!isPlainTable(headers)) return []
  return Object.entries(headers).flatMap(([type, given]: [string, unknown]): Fault[] => {
    const where = `headers.${type}`
    const unknown = type === '*' ? [] : faultsOfType(where, type, schema)
    if (unknown.length > 0) return unknown
    if (!isPlainTable(given)) return [{ where, problem: 'is no table of headers' }]
    return Object.entries(given).flatMap(([name, value]: [string, unknown]) =>
      faultsOfHeader(`${where}.${name}`, name, value),
    )
  })
}

/** A misspelt role would have the limits of all, which would show nowhere. */
function faultsOfRoleNames({ limitsByRole, permissions }: CoreConfig): Fault[] {
  const table: unknown = permissions
  if (!isPlainTable(table) || 'open' in table || !isPlainTable(limitsByRole)) return []
  const roles = Object.keys(table)
  return Object.keys(limitsByRole)
    .filter((role) => !roles.includes(role))
    .map((role) => ({
      where: `limitsByRole.${role}`,
      problem: 'the permissions know no such role',
      remedy: didYouMean(role, roles),
    }))
}

/** Names of types, roles and headers that options hold and that mean nothing. */
export function faultsOfOptionNames(config: CoreConfig, schema: Schema): Fault[] {
  return [...faultsOfHeaders(config.headers, schema), ...faultsOfRoleNames(config)]
}
