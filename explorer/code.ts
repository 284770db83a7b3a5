import { type AskedText, askedText, isTable, type QueryTable, type QueryValue } from './asked'
import type { ToldType } from './told'

export const languages = ['curl', 'fetch', 'typed client', '@strapi/client', 'in the process'] as const
export type Language = (typeof languages)[number]

type CodeValue = string | number | boolean | readonly CodeValue[] | { readonly [name: string]: CodeValue }

const numbers: readonly string[] = ['page', 'pageSize', 'start', 'limit']

/** A URL holds texts alone; what is a number or yes and no is one in code. */
function inCode(value: QueryValue, name: string, above: string): CodeValue {
  if (typeof value === 'string') {
    if (above === 'pagination' && numbers.includes(name) && /^\d+$/.test(value)) return Number(value)
    const isSwitch =
      above === 'populate' || above === 'on' || ['withCount', 'count', '$null', '$notNull'].includes(name)
    return isSwitch && (value === 'true' || value === 'false') ? value === 'true' : value
  }
  if (!isTable(value)) return value.map((one: QueryValue) => inCode(one, '', name))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inCode(one, key, name)]))
}

export const queryInCode = (query: QueryTable): CodeValue => inCode(query, '', '')

const isName = /^[A-Za-z_$][\w$]*$/

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const fits = 72

function written(value: CodeValue, indent: string): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object') return String(value)
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{ ', ' }']
  const entries: [string, CodeValue][] = Object.entries(value)
  const below = `${indent}  `
  // Once for both ways to lay it out: what stands in one line is the same at any indent.
  const parts = entries.map(
    ([name, one]) => (isList ? '' : `${isName.test(name) ? name : quoted(name)}: `) + written(one, below),
  )
  if (entries.length === 0) return isList ? '[]' : '{}'
  const line = `${open}${parts.join(', ')}${close}`
  if (line.length <= fits && !line.includes('\n')) return line
  return `${open.trim()}\n${parts.map((part) => `${below}${part},\n`).join('')}${indent}${close.trim()}`
}

interface CodeSample extends AskedText {
  /** What the path leads to, where it is known to whoever asks. */
  readonly type: ToldType | undefined
  readonly origin: string
  readonly at: string
  readonly role: string
}

/** What follows the name of the type: which entry, and the query. */
function argumentsOf({ path, query }: CodeSample): string {
  const [, one, attribute, value] = path
  const names = one === undefined ? [] : one === 'by' ? [attribute, value] : [one]
  const entry = names.flatMap((name) => (name === undefined ? [] : [quoted(name)]))
  const asks = Object.keys(query).length === 0 ? [] : [written(queryInCode(query), '')]
  return [...entry, ...asks].map((part) => `, ${part}`).join('')
}

type TypedSample = CodeSample & { readonly type: ToldType }

function methodOf({ path, type }: TypedSample): string {
  if (type.kind === 'singleType') return 'single'
  const [, one] = path
  return one === undefined ? 'find' : one === 'by' ? 'by' : 'findOne'
}

function ofStrapi(sample: TypedSample): string {
  const { path, type, origin, at } = sample
  const [route = '', one] = path
  const rest = argumentsOf(sample).slice(2)
  const kind = type.kind === 'singleType' ? 'single' : 'collection'
  const call =
    one === 'by'
      ? `// Strapi has no such path: a list of one, by its filter.\n`
      : `const { data } = await client.${kind}(${quoted(route)}).${one === undefined ? 'find' : 'findOne'}(${rest})\n`
  return `import { strapi } from '@strapi/client'\n\nconst client = strapi({ baseURL: ${quoted(origin + at)} })\n${call}`
}

function typedCode(language: Exclude<Language, 'curl' | 'fetch'>, sample: TypedSample): string {
  const { origin, at, path, role } = sample
  const [route = ''] = path
  const call = `${methodOf(sample)}(${quoted(route)}${argumentsOf(sample)})`
  switch (language) {
    case 'typed client':
      return `import { contentClient } from 'express-content-router/client'\nimport type { Content } from './content'\n\nconst client = contentClient<Content>({ url: ${quoted(origin + at)} })\nconst { data } = await client.${call}`
    case '@strapi/client':
      return ofStrapi(sample).trimEnd()
    case 'in the process':
      return `const { data } = await api.as(${quoted(role === '' ? 'public' : role)}).${call}`
  }
}

const ofAddress: readonly Language[] = ['curl', 'fetch']

/** The others call a function of the type. */
export const languagesFor = (type: ToldType | undefined): readonly Language[] =>
  type === undefined ? ofAddress : languages

/** Null where it takes to know what the path leads to. */
export function codeOf(language: Language, sample: CodeSample): string | null {
  const { origin, at, path, query, type } = sample
  const address = origin + askedText({ path, query }, at)
  if (language === 'curl') return `curl -g '${address.replaceAll("'", "'\\''")}'`
  if (language === 'fetch')
    return `const answer = await fetch(${quoted(address)})\nconst { data, meta } = await answer.json()`
  return type === undefined ? null : typedCode(language, { ...sample, type })
}
