// Input: the arguments of `start`.
// Output: a site on this machine that reads the content until it is ended, and never writes.
// Rejected: missing, unreadable and unreachable sources, with advice.
import { explorerPath, type StartAsked, type Teller, StartError } from './start/start-asked'
import { findSite } from './start/find-site'
import { readSite } from './start/read-site'
import { isOfThisMachine } from './start/refuse-other-hosts'
import { sentenceFor } from './start/sentence-for'
import { serveSite, type ServedSite } from './start/serve-site'
import type { Site } from './start/open-traceless'

export { sentenceFor } from './start/sentence-for'
export type { StartAsked, Teller } from './start/start-asked'
export { strapiConfig, strapiFolder } from './start/strapi-folder'

/** Milliseconds. */
const longestSilence = 1000

/** Any client that reaches this machine would read everything. */
function checkHost({ host, role }: StartAsked): void {
  if (role !== null || isOfThisMachine(host)) return
  throw new StartError(
    `Whoever reaches ${host} would read everything. Name the role that they are to have: --role public`,
  )
}

const whoAsks = ({ role }: StartAsked): string =>
  role === null ? 'Everything is shown, whatever roles may read' : `Requests are answered as to ${role}`

const besides = ({ beside }: StartAsked): string =>
  beside === null
    ? ''
    : `Each query is sent to ${beside} as well, as a stranger or by the token that is given. `

const announcement = ({ origin }: ServedSite, { prefix }: Site, asked: StartAsked): string => `
  Explorer  ${origin}${explorerPath}/
  API       ${origin}${prefix}

${besides(asked)}${whoAsks(asked)}. Nothing is written. Ctrl-C ends it.`

/** It may be started later: each query is sent to it again. */
async function tellIfSilent(beside: string, telling: Teller): Promise<void> {
  try {
    await fetch(beside, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(longestSilence) })
  } catch {
    telling.complain(
      `${beside} gives no answer now. Is that Strapi started? It is asked again with each query.`,
    )
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => {
      resolve()
    })
  })

async function run(site: Site, asked: StartAsked, telling: Teller, until: AbortSignal): Promise<void> {
  const { api, roles } = await readSite(site, asked, telling)
  const served = await serveSite({ site, api, roles }, asked)
  telling.print(announcement(served, site, asked))
  if (asked.beside !== null) await tellIfSilent(asked.beside, telling)
  await aborted(until)
  await served.close()
  await api.close()
}

/** Serves a site until `until` ends it. False: it could not be started, and the reason was printed. */
export async function startSite(asked: StartAsked, telling: Teller, until: AbortSignal): Promise<boolean> {
  let site: Site | null = null
  try {
    checkHost(asked)
    site = await findSite(asked, telling)
    await run(site, asked, telling, until)
    return true
  } catch (error) {
    telling.complain(sentenceFor(error))
    return false
  } finally {
    await site?.opened.close()
  }
}
