// The same requests, of Strapi and of the router.
import fc from 'fast-check'
import { type Answer, firstDifference } from '../../spec/corpus/difference'
import { type Asking, randomAsking } from '../../spec/support/arbitrary-requests'
import { minimize } from '../../spec/support/minimize'
import type { Store } from '../../spec/support/oracle-content'
import { type Ask, printRequest, type Request } from '../requests/request'
import { asksOf, namesAsked } from './links'
import { type Duel, type Reason, reasonOf } from './reasons'

export interface Sides {
  readonly strapi: string
  readonly router: string
}

export interface Difference {
  readonly reason: Reason
  readonly path: string
  readonly told: string
}

export interface Comparison {
  readonly asked: number
  readonly statuses: Readonly<Record<string, number>>
  readonly differences: readonly Difference[]
}

/** Milliseconds that an answer may take; Strapi's joins of many lists may take hours. */
const patience = 20_000
/** Milliseconds in which a difference is made smaller. */
const minimizing = 20_000

async function answerOf(origin: string, path: string): Promise<Answer> {
  try {
    const response = await fetch(`${origin}/api/${path}`, { signal: AbortSignal.timeout(patience) })
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text) as unknown }
  } catch (error) {
    return { status: 599, body: String(error) }
  }
}

function pathOf(store: Store, { target }: Asking, request: Request): string {
  const { info, kind } = store.types.get(target.uid) ?? {}
  const route = kind === 'singleType' ? info?.singularName : info?.pluralName
  const one = target.documentId === undefined ? '' : `/${target.documentId}`
  return `${String(route)}${one}?${printRequest(request)}`
}

async function duel(sides: Sides, path: string, request: Request): Promise<Duel> {
  const [strapi, router] = await Promise.all([answerOf(sides.strapi, path), answerOf(sides.router, path)])
  return { path, request, strapi, router }
}

const farthest = 3
const mostNames = 12

/** What a client could send: the long ones are for the router's limits, and Strapi is busy with them for minutes. */
const isUsual = (request: Request): boolean =>
  printRequest(request).length < 1_500 &&
  asksOf(request as Ask).every(
    (ask) =>
      namesAsked(ask).length <= mostNames && (ask.sort ?? []).every(({ names }) => names.length <= farthest),
  )

function requestsFor(store: Store, count: number, seed: number): Asking[] {
  const find = [...store.types.keys()].filter((uid) => uid.startsWith('api::'))
  const asking = randomAsking(store, { all: { find, drafts: find } }, { beyondStrapi: false })
  // Half of them are unusual at most. A filter of fast-check's would be given the same request without end.
  return fc
    .sample(asking, { seed, numRuns: 4 * count })
    .filter(({ request }) => isUsual(request))
    .slice(0, count)
}

const toldOf = ({ path, strapi, router }: Duel): string =>
  firstDifference(path, strapi, router) ?? 'order or digits alone'

async function smallest(sides: Sides, store: Store, asking: Asking, reason: Reason): Promise<Difference> {
  const until = performance.now() + minimizing
  const isSame = async (request: Request): Promise<boolean> =>
    performance.now() < until &&
    reasonOf(await duel(sides, pathOf(store, asking, request), request), store)?.name === reason.name
  const request = await minimize(asking.request, isSame)
  const found = await duel(sides, pathOf(store, asking, request), request)
  return { reason, path: found.path, told: toldOf(found) }
}

/** Minimised are so many of each reason: what follows most often has the same cause. */
const shownOf = ({ isKnown }: Reason): number => (isKnown ? 1 : 6)

export async function compare(
  sides: Sides,
  store: Store,
  { requests, seed }: { readonly requests: number; readonly seed: number },
): Promise<Comparison> {
  const statuses: Record<string, number> = {}
  const differences: Difference[] = []
  let asked = 0
  for (const asking of requestsFor(store, requests, seed)) {
    const found = await duel(sides, pathOf(store, asking, asking.request), asking.request)
    asked += 1
    const pair = `${String(found.strapi.status)}/${String(found.router.status)}`
    statuses[pair] = (statuses[pair] ?? 0) + 1
    const reason = reasonOf(found, store)
    if (reason === undefined) continue
    const before = differences.filter((one) => one.reason === reason).length
    differences.push(
      before < shownOf(reason)
        ? await smallest(sides, store, asking, reason)
        : { reason, path: found.path, told: toldOf(found) },
    )
  }
  return { asked, statuses, differences }
}
