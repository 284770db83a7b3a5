import type { RequestHandler } from 'express'
import { isIP } from 'node:net'
import { hostname } from 'node:os'

/** True if only this machine can connect. */
export const isOfThisMachine = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/i.test(host)

/** Without the port and the brackets of IPv6. */
const nameIn = (header: string): string => {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(header) ?? []
  return (bracketed ?? plain ?? '').toLowerCase()
}

/**
 * DNS rebinding: any page may point its own name at this machine, and would then have the same origin. An IP address
 * cannot be rebound.
 */
export function refuseOtherHosts(host: string): RequestHandler {
  const ours = new Set(['localhost', host.toLowerCase()])
  if (!isOfThisMachine(host)) ours.add(hostname().toLowerCase())
  return (req, res, next) => {
    const name = nameIn(req.headers.host ?? '')
    if (ours.has(name) || isIP(name) !== 0) next()
    else res.status(421).type('text').send('The server does not serve this host name.\n')
  }
}
