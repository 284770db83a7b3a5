import { type Identity, rolesGiven } from '../access'
import type { Role } from '../config'
import type { ApiDocument } from '../describe'
import { ConfigError } from '../errors'
import { askOnce } from '../freshness'
import { describeApi } from './describe-api'
import type { InFlight } from './in-flight'
import { readExamples } from './read-examples'
import type { ReadInside } from './read-inside'
import type { Settling } from './settle'
import { typesShownTo } from './told-types'

/** Of whom and of where a document tells. */
export interface OpenApiOptions {
  /** Tells what this role may read; without it, all that is not private. */
  readonly role?: Exclude<Role, null>
  /** Where the router is mounted: `https://example.org/api`. */
  readonly url?: string
  /**
   * Asks for a little of each path as `role`, and shows what was answered: whoever is given the document sees it, too.
   * @default false
   */
  readonly examples?: boolean
}

const nobodysExamples = {
  where: 'openapi({ examples })',
  problem: 'shows answers, and nobody is named whose they are',
  remedy: 'name a role',
}

/** Who may read everything. */
const all: Identity = { kind: 'token', may: () => true }

export type DescribeInside = (asked?: OpenApiOptions) => Promise<ApiDocument>

export function describeInside({ settled }: Settling, requests: InFlight, as: ReadInside): DescribeInside {
  return async ({ role, url = '/', examples = false } = {}) => {
    if (examples && role === undefined) throw new ConfigError([nobodysExamples])
    const identity: Identity = role === undefined ? all : { kind: 'roles', ...rolesGiven(role) }
    const leave = requests.enter()
    try {
      const { content } = await settled()
      const rights = await content.rights(identity, askOnce(content.freshness.state))
      if (!examples || role === undefined) return describeApi(content.settings, rights, { url })
      const shown = await readExamples(typesShownTo(content.settings, rights.grants), as(role))
      return describeApi(content.settings, rights, { url, examples: shown })
    } finally {
      leave()
    }
  }
}
