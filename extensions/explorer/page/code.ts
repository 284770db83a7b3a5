import { type Address, formatAddress, roleHeader } from './address'
import type { TypeData, TypesByUid } from './page-data'
import { typedQuery, type CodeValue, queryInCode } from './typed-query'

export const languages = ['curl', 'fetch', 'typed client', '@strapi/client', 'in-process'] as const
export type Language = (typeof languages)[number]

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
  // Once for both layouts: a single line is the same at any indent.
  const parts = entries.map(
    ([name, one]) => (isList ? '' : `${isName.test(name) ? name : quoted(name)}: `) + written(one, below),
  )
  if (entries.length === 0) return isList ? '[]' : '{}'
  const line = `${open}${parts.join(', ')}${close}`
  if (line.length <= fits && !line.includes('\n')) return line
  return `${open.trim()}\n${parts.map((part) => `${below}${part},\n`).join('')}${indent}${close.trim()}`
}

interface CodeSample extends Address {
  /** Undefined for a path that the role may not read. */
  readonly type: TypeData | undefined
  readonly types: TypesByUid
  readonly origin: string
  readonly at: string
  /** URL of this page's own endpoint, the only one that accepts another role. */
  readonly ask: string
  readonly role: string
  /** True if the name stands for a test user of the host instead of a role. */
  readonly isNamed: boolean
  readonly hasToken: boolean
}

type TypedSample = CodeSample & { readonly type: TypeData }

/** Arguments after the name of the type: the entry and the query. */
function argumentsOf({ path, query, type, types }: TypedSample): string {
  const [, one, attribute, value] = path
  const names = one === undefined ? [] : one === 'by' ? [attribute, value] : [one]
  const entry = names.flatMap((name) => (name === undefined ? [] : [quoted(name)]))
  const asks =
    Object.keys(query).length === 0 ? [] : [written(typedQuery(queryInCode(query), type, types), '')]
  return [...entry, ...asks].map((part) => `, ${part}`).join('')
}

function methodOf({ path, type }: TypedSample): string {
  if (type.kind === 'singleType') return 'single'
  const [, one] = path
  if (one !== undefined && type.readings.includes(one)) return 'read'
  return one === undefined ? 'find' : one === 'by' ? 'by' : 'findOne'
}

function ofStrapi(sample: TypedSample): string {
  const { path, type, origin, at, hasToken } = sample
  const [route = '', one] = path
  const method = methodOf(sample)
  const rest = argumentsOf(sample).slice(2)
  const kind = type.kind === 'singleType' ? 'single' : 'collection'
  const call =
    method === 'by' || method === 'read'
      ? `// Strapi has no such path. Filter the list instead.\n`
      : `const { data } = await client.${kind}(${quoted(route)}).${one === undefined ? 'find' : 'findOne'}(${rest})\n`
  return `import { strapi } from '@strapi/client'\n\nconst client = strapi({ baseURL: ${quoted(origin + at)}${hasToken ? ', auth: token' : ''} })\n${call}`
}

const typesMade = `// Generate ./content: npx express-content-router types --out content.ts
// Run it in the folder of your config or Strapi project, or add --content-types <folder>.`

const bearer = 'Authorization: `Bearer ${token}`'

/** Test users are defined in the host's own code alone. */
const asWhom = ({ role, isNamed }: CodeSample): string =>
  isNamed ? `roles[${quoted(role)}]` : quoted(role === '' ? 'public' : role)

function typedCode(language: Exclude<Language, 'curl' | 'fetch'>, sample: TypedSample): string {
  const { origin, at, path, hasToken } = sample
  const [route = ''] = path
  const headers = hasToken ? `, headers: { ${bearer} }` : ''
  const call = `${methodOf(sample)}(${quoted(route)}${argumentsOf(sample)})`
  switch (language) {
    case 'typed client':
      return `import { contentClient } from 'express-content-router/client'\n${typesMade}\nimport type { Content } from './content'\n\nconst client = contentClient<Content>({ url: ${quoted(origin + at)}${headers} })\nconst { data } = await client.${call}`
    case '@strapi/client':
      return ofStrapi(sample).trimEnd()
    case 'in-process':
      return `const { data } = await api.as(${asWhom(sample)}).${call}`
  }
}

const ofAddress: readonly Language[] = ['curl', 'fetch']

/** Other languages need a function of the type. */
export const languagesFor = (type: TypeData | undefined): readonly Language[] =>
  type === undefined ? ofAddress : languages

/** Shells pass other characters on unencoded, and servers reject them. */
const inAscii = (address: string): string =>
  address.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[^\x00-\x7f]+/g, encodeURIComponent)

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function ofCurl({ role, hasToken }: CodeSample, address: string): string {
  const as = role === '' ? '' : ` -H ${inShell(`${roleHeader}: ${encodeURIComponent(role)}`)}`
  return `curl -g${as}${hasToken ? ' -H "Authorization: Bearer $TOKEN"' : ''} ${inShell(inAscii(address))}`
}

function ofFetch({ role, hasToken }: CodeSample, address: string): string {
  const as = role === '' ? [] : [`'${roleHeader}': ${quoted(encodeURIComponent(role))}`]
  const headers = [...as, ...(hasToken ? [bearer] : [])]
  const init = headers.length === 0 ? '' : `, {\n  headers: { ${headers.join(', ')} },\n}`
  return `const response = await fetch(${quoted(address)}${init})\nconst { data, meta } = await response.json()`
}

/** Null without a type, if the language needs one, and for paths outside the API. */
export function codeOf(language: Language, sample: CodeSample): string | null {
  const { origin, at, ask, role, path, query, type } = sample
  const address = origin + formatAddress({ path, query }, role === '' ? at : ask)
  if (path.some((part) => part === '..' || part === '.')) return null
  if (language === 'curl') return ofCurl(sample, address)
  if (language === 'fetch') return ofFetch(sample, address)
  return type === undefined ? null : typedCode(language, { ...sample, type })
}

/** A hint at the role, for code that does not contain it. */
export function roleNote(
  language: Language,
  { role, isNamed, hasToken }: Pick<CodeSample, 'role' | 'isNamed' | 'hasToken'>,
): string {
  const token = `${language === 'curl' ? '$TOKEN' : 'token'} is your token. The page never shows the token.`
  const tokens = hasToken && language !== 'in-process' ? [token] : []
  if (language === 'in-process' && role === '')
    return 'This code reads with the role public. Replace public with the role that you need.'
  if (language === 'in-process' && isNamed)
    return `roles is the result of the explorer option roles. It contains the role and the values of ${role}.`
  if (role === '' || language === 'in-process') return tokens.join(' ')
  const as = ofAddress.includes(language)
    ? `This code sends the request to the explorer with the role ${role}, because the API ignores the role header. If the explorer requires a login, add the cookie of the login.`
    : `This code has the role of its caller, not ${role}. The router option role returns the role.`
  return [as, ...tokens].join(' ')
}
