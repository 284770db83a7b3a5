// Input: the arguments of `start`.
// Output: a site on this machine that reads the content until it is ended, and never writes.
// Rejected: missing, unreadable and unreachable sources, with advice.
import { once } from 'node:events'
import {
  emphasized,
  explorerPath,
  inStep,
  type Printer,
  StartError,
  type StartOptions,
} from './start/start-options'
import { findSite } from './start/find-site'
import { readSite } from './start/read-site'
import { isOfThisMachine } from './start/refuse-other-hosts'
import { sentenceFor } from './start/sentence-for'
import { serveLocally, serveSite, type ServedSite } from './start/serve-site'
import type { Site } from './start/open-traceless'

export { databaseAt, openTraceless } from './start/open-traceless'
export { serveLocally }
export { sentenceFor } from './start/sentence-for'
export { emphasized, inStep, type Printer, type StartOptions } from './start/start-options'
export { advisedByStrapi, isOfStrapi, strapiConfig, strapiFolder } from './start/strapi-folder'

/** Milliseconds. */
const longestSilence = 1000

/** Any client that reaches this machine would read everything. */
function checkHost({ host, role }: StartOptions): void {
  if (role !== null || isOfThisMachine(host)) return
  throw new StartError(
    `Any client that reaches ${host} could read everything. Choose a role for clients: --role public`,
  )
}

function announcement({ origin }: ServedSite, { prefix }: Site, printer: Printer): string {
  const [explorer, api] = [`${origin}${explorerPath}/`, `${origin}${prefix}`].map((url) =>
    emphasized(printer, url),
  )
  return `\n  Explorer  ${String(explorer)}\n  API       ${String(api)}\n`
}

function notices({ beside, role }: StartOptions): string {
  const comparison =
    beside === null ? '' : `Each query is sent to ${beside}, too, anonymously or with the given token. `
  const permissions = role === null ? 'Permissions are not enforced' : `Requests have the role ${role}`
  return `${comparison}${permissions}. Read-only. Press Ctrl-C to stop.`
}

/** It may be started later: each query is sent to it again. */
async function warnIfSilent(beside: string, printer: Printer): Promise<void> {
  try {
    await fetch(beside, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(longestSilence) })
  } catch {
    printer.complain(`warning: ${beside} does not respond. Is Strapi running? Each query tries again.`)
  }
}

async function run(site: Site, options: StartOptions, printer: Printer, until: AbortSignal): Promise<void> {
  const { api, roles } = await inStep(printer, 'Reading the database', () => readSite(site, options, printer))
  const served = await serveSite({ site, api, roles }, options)
  printer.print(announcement(served, site, printer))
  printer.print(notices(options))
  if (options.beside !== null) await warnIfSilent(options.beside, printer)
  if (!until.aborted) await once(until, 'abort')
  await served.close()
  await api.close()
}

/** Serves a site until `until` ends it. False: it could not be started, and the reason was printed. */
export async function startSite(
  options: StartOptions,
  printer: Printer,
  until: AbortSignal,
): Promise<boolean> {
  let site: Site | null = null
  try {
    checkHost(options)
    site = await inStep(printer, 'Opening the content', () => findSite(options, printer))
    await run(site, options, printer, until)
    return true
  } catch (error) {
    printer.complain(sentenceFor(error))
    return false
  } finally {
    await site?.opened.close()
  }
}
