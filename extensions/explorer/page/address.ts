import { parse } from 'qs'
import { decoded } from './plain-text'

const pieces = /(\s+|\\\r?\n)|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)/g

function wordsIn(line: string): readonly string[] {
  const words: string[] = []
  let word: string | null = null
  for (const [, space, single, double, escaped, bare] of line.matchAll(pieces)) {
    if (space !== undefined) {
      if (word !== null) words.push(word)
      word = null
    } else word = `${word ?? ''}${single ?? double?.replace(/\\([^])/g, '$1') ?? escaped ?? bare ?? ''}`
  }
  return word === null ? words : [...words, word]
}

/** Flags of curl that take a value. */
const withValue = /^(-[AbeHmouxX]|--(header|request|user|user-agent|cookie|output|max-time|proxy|referer))$/
const ofData = /^(-d|--data|--data-raw|--data-binary|--data-ascii|--data-urlencode)(?:=(.*))?$/s

/** `name=value` with the value encoded; without a name, all of it. */
function encodedPair(text: string): string {
  const at = text.indexOf('=')
  return `${text.slice(0, Math.max(0, at))}${at > 0 ? '=' : ''}${encodeURIComponent(text.slice(at + 1))}`
}

/** The URL of a curl command; null for a command that sends data. */
function addressInShell(line: string): string | null {
  const [, ...words] = wordsIn(line.trim())
  const data: string[] = []
  let [address, isGet, isSent] = ['', false, false]
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const [, flag, own] = ofData.exec(word) ?? []
    if (flag !== undefined) {
      const value = own ?? words[(at += 1)] ?? ''
      data.push(flag === '--data-urlencode' ? encodedPair(value) : value)
    } else if (word === '-X' || word === '--request') isSent = !/^(GET|HEAD)$/i.test(words[(at += 1)] ?? '')
    else if (withValue.test(word)) at += 1
    else if (word === '--get' || /^-[a-zA-Z]*G[a-zA-Z]*$/.test(word)) isGet = true
    else if (!word.startsWith('-') && address === '') address = word
  }
  if (isSent || (data.length > 0 && !isGet)) return null
  return data.length === 0 ? address : `${address}${address.includes('?') ? '&' : '?'}${data.join('&')}`
}

export const roleHeader = 'X-Explorer-Role'

export type QueryValue = string | readonly QueryValue[] | QueryTable
export interface QueryTable {
  readonly [name: string]: QueryValue
}

export interface Address {
  readonly path: readonly string[]
  readonly query: QueryTable
}

/** At least the limits of any router. */
const limits = { depth: 400, arrayLimit: 5000, parameterLimit: 5000, allowPrototypes: true } as const

export const isTable = (value: unknown): value is QueryTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isCommand = (text: string): boolean => /^\s*curl\s/.test(text)

/** Line ends are no part of a URL, but of a shell command. */
export const onOneLine = (text: string): string =>
  isCommand(text) ? text : text.replace(/\s*[\r\n]\s*/g, '')

/** One parameter a line. */
export function inLines(text: string): string {
  const [path = '', ...query] = text.split('?')
  if (query.length === 0 || isCommand(text)) return text
  return `${path}\n?${query.join('?').replaceAll('&', '\n&')}`
}

/** The address in a shell command, which may be one that the page itself shows. */
function addressIn(text: string): string {
  if (!isCommand(text)) return text
  const address = addressInShell(text) ?? text
  return text.includes(roleHeader) ? address.replace(/^https?:[^?#]*?\/ask\//, '') : address
}

/** The text below the mount, for a full URL, an absolute or a relative path. */
export function withoutMount(text: string, at: string): string {
  const plain = onOneLine(addressIn(text).trim())
    .replace(/^GET\s+/i, '')
    .replace(/^https?:\/\/[^/?#]*/i, '')
  const mount = at.replace(/^\/|\/$/g, '')
  const below = plain.replace(/^\/+/, '')
  return mount !== '' && (below === mount || below.startsWith(`${mount}/`) || below.startsWith(`${mount}?`))
    ? below.slice(mount.length).replace(/^\/+/, '')
    : below
}

export function parseAddress(text: string, at: string): Address {
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
export function formatAddress({ path, query }: Address, at: string): string {
  const text = queryText(query)
  return `${at.replace(/\/$/, '')}/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`
}
