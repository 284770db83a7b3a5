import { addressBelow } from './address-below'
import { withoutMount } from './asked'
import { isEntry } from './entry'
import { errorMessageIn } from './error-message'
import { roleHeader } from './role-header'
import { isFromMemory } from './server-times'
import type { Told } from './told'

/** What came for a query, or why nothing came. */
export interface Answer {
  /** The text that was asked, and in whose place: what is shown is never that of another. */
  readonly text: string
  readonly role: string
  readonly status: number
  readonly ms: number
  readonly body: unknown
  readonly size: number
  readonly timing: string | null
  /** Why this is no answer of the API, where it is none. */
  readonly oddity: string | null
  /** By which an answer that did not change is known again. */
  readonly tag: string | null
  /** What another server answered to the same, where it is asked. */
  readonly beside: BesideAnswer | 'awaited' | null
}

export type BesideAnswer =
  | { readonly problem: string }
  | {
      readonly status: number
      readonly ms: number
      readonly text: string
      /** How long ours took, asked on the same way; null where that could not be found. */
      readonly here: number | null
    }

export interface Asking {
  readonly told: Told
  readonly role: string
  /** A bearer token, or nothing. */
  readonly token: string
  /** Whether the answer is to tell how it came about, if the host lets whoever asks be told. */
  readonly isExplained: boolean
}

type Who = Pick<Asking, 'role' | 'token'> & Partial<Asking>

const headersOf = ({ role, token, isExplained = false }: Who): Record<string, string> => ({
  ...(role === '' ? {} : { [roleHeader]: encodeURIComponent(role) }),
  ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
  ...(isExplained ? { 'X-Explain': 'yes' } : {}),
})

/** A page to log in on is where sessions that ended are mostly sent. */
const isElsewhere = ({ type }: Response): boolean => type === 'opaqueredirect'

const sentElsewhere = 'the host sends whoever asks elsewhere, as where one has to log in'

/** Of answers themselves: one that leads elsewhere is not followed, as what stands there is none of the API. */
const manners = { cache: 'no-store', redirect: 'manual' } as const

export async function readTold(who: Who): Promise<Told> {
  const answer = await fetch('types', { headers: headersOf(who), ...manners })
  if (isElsewhere(answer)) throw new Error(sentElsewhere)
  const body = bodyOf(await answer.text())
  if (isEntry(body) && Array.isArray(body['types'])) return body as unknown as Told
  const status = String(answer.status)
  throw new Error(`${status} ${errorMessageIn(body) ?? 'and nothing that tells what there is'}`)
}

/** What is no JSON is shown as the text that it is. */
export function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export async function askBeside(text: string, asking: Asking, signal: AbortSignal): Promise<BesideAnswer> {
  const answer = await fetch(addressBelow('beside/', withoutMount(text, asking.told.at)), {
    headers: headersOf({ role: asking.role, token: asking.token }),
    ...manners,
    signal,
  })
  return (await answer.json()) as BesideAnswer
}

function oddityOf(response: Response, body: unknown): string | null {
  if (isElsewhere(response)) return `No answer: ${sentElsewhere}.`
  return typeof body === 'string' ? 'This is no JSON, and so no answer of the API.' : null
}

export async function ask(text: string, asking: Asking, signal: AbortSignal): Promise<Answer> {
  const below = withoutMount(text, asking.told.at)
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
    timing: headers.get('Server-Timing'),
    oddity: oddityOf(response, body),
    tag: headers.get('ETag'),
    beside: null,
  }
}

/** How long it takes to hear that nothing changed; null where something did, or nothing is said of it. */
export async function askIfChanged({ text, tag }: Answer, asking: Asking): Promise<number | null> {
  if (tag === null) return null
  const begun = performance.now()
  const { status } = await fetch(addressBelow('ask/', withoutMount(text, asking.told.at)), {
    headers: { ...headersOf(asking), 'If-None-Match': tag },
    ...manners,
  })
  return status === 304 ? performance.now() - begun : null
}

export interface Repeated {
  readonly median: number
  readonly shortest: number
  readonly longest: number
  /** How many of them were not read from the database; null where the host does not tell. */
  readonly kept: number | null
}

/** One after the other, as by a single visitor. */
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
