import { withoutMount, roleHeader } from './address'
import { isEntry, errorMessageIn } from './entry'
import { isFromMemory } from './server-times'
import type { PageData } from './page-data'
import { decoded } from './plain-text'

/** Browsers and proxies resolve dots, which would leave the folder. */
const isDots = (part: string): boolean => /^\.\.?$/.test(part)

const mostTurns = 5

/** Decoded until nothing changes. */
function whole(text: string, turns = mostTurns): string {
  const plain = decoded(text)
  return plain === text || turns === 0 ? plain : whole(plain, turns - 1)
}

/**
 * An address below a folder of the page. Links with a query may come from untrusted authors. Following one must not
 * send a request to any other path of the host.
 */
function addressBelow(folder: string, below: string): string {
  const root = new URL(folder, location.href)
  const address = new URL(folder + below.split('#').join('%23'), location.href)
  const [path = ''] = below.split('?')
  const isInside = address.origin === root.origin && address.pathname.startsWith(root.pathname)
  if (
    !isInside ||
    whole(path)
      .split(/[/\\]/)
      .some((part) => isDots(part.trim()))
  )
    throw new Error('the path leaves the API by dot segments')
  return address.href
}

export interface Answer {
  /** The query and role of the request, so that a response is never shown for another one. */
  readonly text: string
  readonly role: string
  readonly status: number
  readonly ms: number
  readonly body: unknown
  readonly size: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly timing: string | null
  /** The reason why this is no response of the API; null for one. */
  readonly oddity: string | null
  readonly tag: string | null
  /** The response of the other server; null without one. */
  readonly beside: BesideAnswer | 'awaited' | null
}

export type BesideAnswer =
  | { readonly problem: string }
  | {
      readonly status: number
      readonly ms: number
      readonly text: string
      /** Our own response time on the same way; null if it could not be measured. */
      readonly here: number | null
    }

export interface Asking {
  readonly pageData: PageData
  readonly role: string
  readonly token: string
  /** True to request `meta.explain`, if the host allows it. */
  readonly isExplained: boolean
}

type Who = Pick<Asking, 'role' | 'token'> & Partial<Asking>

const headersOf = ({ role, token, isExplained = false }: Who): Record<string, string> => ({
  ...(role === '' ? {} : { [roleHeader]: encodeURIComponent(role) }),
  ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
  ...(isExplained ? { 'X-Explain': 'yes' } : {}),
})

/** Expired sessions are mostly redirected to a login page. */
const isElsewhere = ({ type }: Response): boolean => type === 'opaqueredirect'

const sentElsewhere = 'the host application redirected the request, for example to a login page'

/** Redirects are not followed, as their target is no part of the API. */
const manners = { cache: 'no-store', redirect: 'manual' } as const

export async function readPageData(who: Who): Promise<PageData> {
  const answer = await fetch('types', { headers: headersOf(who), ...manners })
  if (isElsewhere(answer)) throw new Error(sentElsewhere)
  const body = bodyOf(await answer.text())
  if (isEntry(body) && Array.isArray(body['types'])) return body as unknown as PageData
  const status = String(answer.status)
  throw new Error(`${status} ${errorMessageIn(body) ?? 'The response contains no list of content types'}`)
}

/** A body without JSON is shown as text. */
export function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export async function askBeside(text: string, asking: Asking, signal: AbortSignal): Promise<BesideAnswer> {
  const answer = await fetch(addressBelow('beside/', withoutMount(text, asking.pageData.at)), {
    headers: headersOf({ role: asking.role, token: asking.token }),
    ...manners,
    signal,
  })
  return (await answer.json()) as BesideAnswer
}

function oddityOf(response: Response, body: unknown): string | null {
  if (isElsewhere(response)) return `No response: ${sentElsewhere}.`
  return typeof body === 'string' ? 'The response is not JSON and does not come from the API.' : null
}

export async function ask(text: string, asking: Asking, signal: AbortSignal): Promise<Answer> {
  const below = withoutMount(text, asking.pageData.at)
  const begun = performance.now()
  const response = await fetch(addressBelow('ask/', below), {
    headers: headersOf(asking),
    ...manners,
    signal,
  })
  const received = await response.text()
  const ms = performance.now() - begun
  const { status, headers } = response
  const body = bodyOf(received)
  return {
    ...{ text, role: asking.role, status, ms, body, size: new Blob([received]).size },
    headers: [...headers],
    timing: headers.get('Server-Timing'),
    oddity: oddityOf(response, body),
    tag: headers.get('ETag'),
    beside: null,
  }
}

/** Milliseconds until a 304; null if the response changed or has no `ETag`. */
export async function askIfChanged({ text, tag }: Answer, asking: Asking): Promise<number | null> {
  if (tag === null) return null
  const begun = performance.now()
  const { status } = await fetch(addressBelow('ask/', withoutMount(text, asking.pageData.at)), {
    headers: { ...headersOf(asking), 'If-None-Match': tag },
    ...manners,
  })
  return status === 304 ? performance.now() - begun : null
}

export interface Repeated {
  readonly median: number
  readonly shortest: number
  readonly longest: number
  /** Number of responses from the cache; null if the host does not report it. */
  readonly kept: number | null
}

export async function askAgain(text: string, asking: Asking, times: number): Promise<Repeated> {
  const all: Answer[] = []
  for (let turn = 0; turn < times; turn++) all.push(await ask(text, asking, new AbortController().signal))
  const sorted = all.map(({ ms }) => ms).sort((one, other) => one - other)
  const at = (place: number): number => sorted[Math.min(sorted.length - 1, Math.floor(place))] ?? 0
  const isTold = all.every(({ timing }) => timing !== null)
  return {
    ...{ median: at(sorted.length / 2), shortest: at(0), longest: at(sorted.length - 1) },
    kept: isTold ? all.filter(({ timing }) => isFromMemory(timing)).length : null,
  }
}
