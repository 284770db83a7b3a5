import { type Identity, rolesGiven } from '../access'
import type { Role } from '../config'
import { type ApiDocument, type OpenApiVersion, openApiVersions } from '../describe'
import { ConfigError } from '../errors'
import { askOnce } from '../freshness'
import { describeApi } from './describe-api'
import type { InFlight } from './in-flight'
import type { Settling } from './settle'

/** Of whom and of where a document tells. */
export interface OpenApiOptions {
  /** Tells what this role may read; without it, all that is not private. */
  readonly role?: Exclude<Role, null>
  /** Where the router is mounted: `https://example.org/api`. */
  readonly url?: string
  /** `'3.1'`: parameters by their names, which every generator knows; `'3.2'`: all that may be asked. */
  readonly version?: OpenApiVersion
}

const unknownVersion = {
  ...{ where: 'openapi({ version })', problem: 'is none that documents are written in' },
  remedy: `use '${openApiVersions.join("' or '")}'`,
}

/** Who may read everything. */
const all: Identity = { kind: 'token', may: () => true }

export type DescribeInside = (asked?: OpenApiOptions) => Promise<ApiDocument>

export function describeInside({ settled }: Settling, requests: InFlight): DescribeInside {
  return async ({ role, url = '/', version = '3.1' } = {}) => {
    if (!openApiVersions.includes(version)) throw new ConfigError([unknownVersion])
    const identity: Identity = role === undefined ? all : { kind: 'roles', ...rolesGiven(role) }
    const leave = requests.enter()
    try {
      const { content } = await settled()
      const rights = await content.rights(identity, askOnce(content.freshness.state))
      return describeApi(content.settings, rights, { url, openapi: version })
    } finally {
      leave()
    }
  }
}
