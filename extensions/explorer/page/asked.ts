import { parse } from 'qs'
import { decoded } from './plain-text'
import { roleHeader } from './role-header'
import { addressInShell } from './shell-line'

export type QueryValue = string | readonly QueryValue[] | QueryTable
export interface QueryTable {
  readonly [name: string]: QueryValue
}

export interface AskedText {
  readonly path: readonly string[]
  readonly query: QueryTable
}

/** At least the limits of any router. */
const limits = { depth: 400, arrayLimit: 5000, parameterLimit: 5000, allowPrototypes: true } as const

export const isTable = (value: unknown): value is QueryTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The address in a shell command, which may be one that the page itself shows. */
function addressIn(text: string): string {
  if (!/^\s*curl\s/.test(text)) return text
  const address = addressInShell(text) ?? text
  return text.includes(roleHeader) ? address.replace(/^https?:[^?#]*?\/ask\//, '') : address
}

/** The text below the mount, for a full URL, an absolute or a relative path. */
export function withoutMount(text: string, at: string): string {
  const plain = addressIn(text)
    .trim()
    .replace(/^GET\s+/i, '')
    .replace(/^https?:\/\/[^/?#]*/i, '')
    .replace(/\s*[\r\n]\s*/g, '')
  const mount = at.replace(/^\/|\/$/g, '')
  const below = plain.replace(/^\/+/, '')
  return mount !== '' && (below === mount || below.startsWith(`${mount}/`) || below.startsWith(`${mount}?`))
    ? below.slice(mount.length).replace(/^\/+/, '')
    : below
}

export function readAsked(text: string, at: string): AskedText {
  const [path = '', ...query] = withoutMount(text, at).split('?')
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    query: parse(query.join('?'), limits) as QueryTable,
  }
}

/** Readable, except for characters that would end a value or change its meaning. */
const valueText = (text: string): string => text.replace(/[%&#+\s\x00-\x1f\x7f]/g, encodeURIComponent)

const nameText = (text: string): string => valueText(text).replace(/[[\]=]/g, encodeURIComponent)

function pairsOf(key: string, value: QueryValue): string[] {
  if (typeof value === 'string') return [`${key}=${valueText(value)}`]
  return Object.entries(value).flatMap(([name, one]: [string, QueryValue]) =>
    pairsOf(`${key}[${nameText(name)}]`, one),
  )
}

export const queryText = (query: QueryTable): string =>
  Object.entries(query)
    .flatMap(([name, value]) => pairsOf(nameText(name), value))
    .join('&')

/** The text in the text box: with the mount, like in code. */
export function askedText({ path, query }: AskedText, at: string): string {
  const text = queryText(query)
  return `${at.replace(/\/$/, '')}/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`
}
