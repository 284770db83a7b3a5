import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'qs'
import type { PermissionTable } from '../../../lib'
import { contentTypes, typeOfValue } from '../../../tools/types'
import { typesForRole } from '../../../lib/http'
import { strapi5 } from '../../../extensions/strapi'
import { readTypes } from '../../../lib/config'
import { casesByGroup, type Case } from '../../corpus/replay'
import { recordingOf } from '../../support/recordings'

const recording = recordingOf('sqlite')
const given = JSON.parse(readFileSync(join(recording.folder, 'config.json'), 'utf8')) as {
  readonly permissions: PermissionTable
}

function registryOf(role: string): string {
  const config = { extensions: [strapi5()], contentTypes: recording.contentTypes, database: {}, ...given }
  const schema = readTypes(config)
  const { types, options } = typesForRole(config, schema, { role, table: given.permissions })
  return contentTypes(types, schema, options)
}

/** A list of names, none of which stands in it twice, or begins another: what Strapi makes of others is nothing for types. */
function areNames(value: unknown): boolean {
  const all = [value].flat()
  if (!all.every((one) => typeof one === 'string' && /^(\*|\w+(\.\w+)*)$/.test(one))) return false
  const heads = all.map((one) => String(one).split('.')[0])
  return new Set(heads).size === heads.length && (all.length === 1 || !all.includes('*'))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isPlain(asked: unknown): boolean {
  if (typeof asked === 'boolean' || asked === '*') return true
  if (!isObject(asked)) return false
  const { fields, populate, on } = asked
  const parts = isObject(populate) ? Object.values(populate) : []
  return (
    (fields === undefined || areNames(fields)) &&
    (populate === undefined || isObject(populate) || areNames(populate)) &&
    [...parts, ...(isObject(on) ? Object.values(on) : [])].every(isPlain)
  )
}

/** Strapi shows what it sorts by where it has filtered through lists, and leaves out entries of any type that are not asked by it. */
function showsMore(query: unknown): boolean {
  if (!isObject(query)) return false
  const { fields, sort, filters, populate } = query
  const below = isObject(populate) ? Object.entries(populate) : []
  return (
    (fields !== undefined && sort !== undefined && filters !== undefined) ||
    below.some(
      ([name, asked]) =>
        showsMore(asked) || (ofAnyType.includes(name) && isObject(asked) && !('on' in asked)),
    )
  )
}

const ofAnyType = ['subject', 'mentions']

const names = (value: unknown): unknown =>
  typeof value === 'string' && value.includes(',') ? value.split(',') : value

/** As it would be written in code: lists as lists, truth as truth. */
function written(query: unknown): unknown {
  if (query === 'true') return true
  if (query === 'false') return false
  if (Array.isArray(query)) return query.map(written)
  if (typeof query !== 'object' || query === null) return query
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      name === 'fields' || name === 'populate' ? names(written(value)) : written(value),
    ]),
  )
}

interface Asked {
  readonly number: number
  readonly role: string
  readonly type: string
  readonly form: 'ListResponse' | 'EntryResponse'
  readonly query: unknown
  readonly body: unknown
}

function askedIn({ n, role, request, headers, expected }: Case): Asked[] {
  if (typeof expected === 'string' || expected.status !== 200 || headers !== undefined) return []
  const [, type = '', text = ''] = /^\/api\/([\w-]+)(?:\/[^?]+)?(?:\?(.*))?$/.exec(request) ?? []
  const query = written(parse(text, { depth: 50, arrayLimit: 100 }))
  if (type === '' || !isPlain(query) || showsMore(query)) return []
  const { data } = expected.body as { data: unknown }
  return [
    {
      number: n,
      role,
      type,
      form: Array.isArray(data) ? 'ListResponse' : 'EntryResponse',
      query,
      body: expected.body,
    },
  ]
}

const statement = ({ number, type, form, query, body }: Asked): string =>
  `const n${String(number)}: ${form}<Content, '${type}', ${typeOfValue(query)}> = ${JSON.stringify(body)}\n`

const asked = [...casesByGroup(recording).values()].flat().flatMap(askedIn)

/** For each role a module that gives recorded responses the types of what was asked. */
export const recordedModules = [...new Set(asked.map(({ role }) => role))].map((role) => {
  const own = asked.filter((one) => one.role === role)
  const text = [
    `import type { EntryResponse, ListResponse } from '../../../extensions/client'\n`,
    registryOf(role),
    ...own.map(statement),
    `export const all = [${own.map(({ number }) => `n${String(number)}`).join(', ')}]\n`,
  ].join('')
  return { role, text, count: own.length }
})
