import { withoutMount } from './asked'
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
  readonly beside: BesideAnswer | null
}

export type BesideAnswer =
  { readonly problem: string } | { readonly status: number; readonly ms: number; readonly text: string }

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
  ...(role === '' ? {} : { 'X-Explorer-Role': encodeURIComponent(role) }),
  ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
  ...(isExplained ? { 'X-Explain': 'yes' } : {}),
})

export async function readTold(who: Who): Promise<Told> {
  const answer = await fetch('types', { headers: headersOf(who) })
  const body = (await answer.json()) as Told | { readonly error: { readonly message: string } }
  if ('error' in body) throw new Error(`${String(answer.status)} ${body.error.message}`)
  return body
}

/** What is no JSON is shown as the text that it is. */
export function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function askBeside(below: string, asking: Asking, signal: AbortSignal): Promise<BesideAnswer | null> {
  if (!asking.told.isBeside) return null
  const answer = await fetch(`beside/${below}`, {
    headers: headersOf({ role: '', token: asking.token }),
    signal,
  })
  return (await answer.json()) as BesideAnswer
}

export async function ask(text: string, asking: Asking, signal: AbortSignal): Promise<Answer> {
  const below = withoutMount(text, asking.told.at).split('#').join('%23')
  const begun = performance.now()
  const response = await fetch(`ask/${below}`, { headers: headersOf(asking), cache: 'no-store', signal })
  const received = await response.text()
  const ms = performance.now() - begun
  const { status, headers } = response
  return {
    ...{ text, role: asking.role, status, ms, body: bodyOf(received), size: received.length },
    timing: headers.get('Server-Timing'),
    beside: await askBeside(below, asking, signal),
  }
}

export interface Repeated {
  readonly median: number
  readonly shortest: number
  readonly longest: number
}

/** One after the other, as by a single visitor. */
export async function askAgain(text: string, asking: Asking, times: number): Promise<Repeated> {
  const all: number[] = []
  const { told } = asking
  for (let turn = 0; turn < times; turn++) {
    const answer = await ask(
      text,
      { ...asking, told: { ...told, isBeside: false } },
      new AbortController().signal,
    )
    all.push(answer.ms)
  }
  all.sort((one, other) => one - other)
  const at = (place: number): number => all[Math.min(all.length - 1, Math.floor(place))] ?? 0
  return { median: at(all.length / 2), shortest: at(0), longest: at(all.length - 1) }
}
