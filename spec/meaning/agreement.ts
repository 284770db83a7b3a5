import { isDeepStrictEqual } from 'node:util'
import fc, { type Arbitrary } from 'fast-check'
import { printRequest, type Request } from '../../lab/requests/request'
import type { Asking } from '../support/arbitrary-requests'
import type { RandomWorld } from '../support/arbitrary-worlds'
import { comparable } from '../support/comparable'
import { minimize } from '../support/minimize'
import { answer, type Grants, type Options } from '../support/oracle'
import type { Store } from '../support/oracle-content'
import { runs } from '../support/property-runs'
import { pathOf, type Served, servings } from './world'

/** A world that is served, and what the oracle knows of it. */
export interface Agreeing {
  readonly world: RandomWorld
  readonly stored: Store
  readonly served: Served
  readonly grantsOf: (role: string) => Grants
}

/** What is told where the router and the oracle differ. */
async function disagreement(
  { world, stored, served, grantsOf }: Agreeing,
  path: string,
  { role, target, request }: Asking,
): Promise<string | null> {
  const grants = grantsOf(role)
  const expected = answer(stored, servings[path] as Options, grants, target, request)
  const url = `${path}${pathOf(world.definitions, target)}?${printRequest(request)}`
  const { status, text } = await served.host.ask(url, role)
  if (status === expected.orStatus) return null
  const got = { status, body: status === 200 ? comparable(JSON.parse(text)) : null }
  const wanted = { status: expected.status, body: comparable(expected.body) }
  if (isDeepStrictEqual(got, wanted)) return null
  const texts = [wanted, got].map((one) => JSON.stringify(one, null, 1))
  const refusal = status === 200 ? '' : text
  const rules = grants.rules === undefined ? '' : `\n${JSON.stringify(grants.rules)}`
  return `${role} ${decodeURIComponent(url)}\n${JSON.stringify(request)}${rules}\nexpected ${texts.join('\ngot ')}${refusal}`
}

/** Every answer is that of the oracle; if not, it is told of the smallest request for which it is not. */
export async function expectAgreement(
  agreeing: Agreeing,
  asking: Arbitrary<Asking>,
  seed: number,
): Promise<void> {
  const property = fc.asyncProperty(
    asking,
    fc.constantFrom(...Object.keys(servings)),
    async (asked, path) => (await disagreement(agreeing, path, asked)) === null,
  )
  const { counterexample } = await fc.check(property, { seed, numRuns: runs(120), endOnFailure: true })
  if (counterexample === null) return
  const [asked, path] = counterexample
  const fails = async (request: Request): Promise<boolean> =>
    (await disagreement(agreeing, path, { ...asked, request })) !== null
  const request = await minimize(asked.request, fails)
  expect(await disagreement(agreeing, path, { ...asked, request })).toBeNull()
}

/** So is every answer where one asks after the other: nothing that is kept for one is taken for another's. */
export async function expectAgreementInTurn(
  agreeing: Agreeing,
  asking: Arbitrary<Asking>,
  { everyone, seed }: { readonly everyone: readonly string[]; readonly seed: number },
): Promise<void> {
  const property = fc.asyncProperty(
    asking,
    fc.constantFrom(...Object.keys(servings)),
    async (asked, path) => {
      for (const role of everyone) expect(await disagreement(agreeing, path, { ...asked, role })).toBeNull()
    },
  )
  await fc.assert(property, { seed, numRuns: runs(20), endOnFailure: true })
}
