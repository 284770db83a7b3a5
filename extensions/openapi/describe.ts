import type { Role } from '../../lib/config'
import { ConfigError } from '../../lib/errors'
import { exploredRouter, typesShownTo, type ContentRouter } from '../../lib/http'
import type { ApiDocument } from './api-document'
import { describeApi } from './describe-api'
import { readExamples } from './read-examples'

/** Of whom and of where a document tells. */
export interface DescribeOptions {
  /** Describes what this role may read; without it, all that is not private. */
  readonly role?: Exclude<Role, null>
  /** Where the router is mounted: `https://example.org/api`. */
  readonly url?: string
  /**
   * Asks for a little of each path as `role`, and shows what was answered: whoever is given the document sees it, too.
   * @default false
   */
  readonly examples?: boolean
}

const noRouter = {
  where: 'describe',
  problem: 'is given no router of this package',
  remedy: 'describe(contentRouter(config)), both of one installation',
}

const nobodysExamples = {
  where: 'describe({ examples })',
  problem: 'shows answers, and nobody is named whose they are',
  remedy: 'name a role',
}

/** OpenAPI: what a role may ask, and what it is answered. */
export async function describe(
  content: Pick<ContentRouter, 'as'>,
  { role, url = '/', examples = false }: DescribeOptions = {},
): Promise<ApiDocument> {
  const explored = exploredRouter(content)
  if (explored === null) throw new ConfigError([noRouter])
  if (examples && role === undefined) throw new ConfigError([nobodysExamples])
  const { settings, rights } = await explored.rightsGiven(role)
  if (!examples || role === undefined) return describeApi(settings, rights, { url })
  const shown = await readExamples(typesShownTo(settings, rights.grants), content.as(role))
  return describeApi(settings, rights, { url, examples: shown })
}
