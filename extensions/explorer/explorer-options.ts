import type { Request } from 'express'
import { isFunction, type Role } from '../../lib/config'
import type { Fault } from '../../lib/errors'
import { faultsOfValues, isRecord, type ValueCheck } from '../../lib/schema'

/** Lists roles, or maps names of test users to the value that the router's option `role` would return for them. */
export type TriedRoles = readonly string[] | Readonly<Record<string, Exclude<Role, null>>>

/** Describes a heading and the example queries below it. */
export interface ExampleQueries {
  readonly title: string
  readonly queries: readonly ExampleQuery[]
}

/** Describes an example query with its title. */
export interface ExampleQuery {
  readonly title: string
  /** Contains the path and query below the mount: `articles?populate=author`. */
  readonly query: string
  /** Selects one of the names in `roles`. The page sends the example query with the selected role. */
  readonly role?: string
}

/** Contains the options of `contentExplorer`. */
export interface ExplorerOptions {
  /** Sets the title of the page. */
  readonly title?: string
  /** Sets the mount path of the router for the code samples of the page, by default `/api`. */
  readonly at?: string
  /** Returns the roles that the sender of a request can try. Without the function `roles`, the page offers no roles. */
  readonly roles?: (req: Request) => TriedRoles | Promise<TriedRoles>
  /**
   * Sets the API URL of a Strapi for comparison, such as `http://localhost:1337/api`. The explorer also sends each
   * query to the Strapi at this URL.
   */
  readonly beside?: string
  /** Lists example queries, in groups with a heading. */
  readonly examples?: readonly ExampleQueries[]
}

function isWebAddress(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false
  const { protocol, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && search === '' && hash === ''
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isQuery = (value: unknown): boolean =>
  isRecord(value) &&
  isText(value['title']) &&
  typeof value['query'] === 'string' &&
  (value['role'] === undefined || isText(value['role']))

const areExamples = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(
    (one: unknown) =>
      isRecord(one) && isText(one['title']) && Array.isArray(one['queries']) && one['queries'].every(isQuery),
  )

const checks: Readonly<Record<keyof ExplorerOptions, ValueCheck>> = {
  title: {
    fits: isText,
    problem: 'the option title must be a string',
    remedy: 'write a title, or remove the option title',
  },
  at: {
    fits: (value) => isText(value) && value.startsWith('/'),
    problem: 'the option "at" must be a path',
    remedy: "write the mount path of the router, such as '/api'",
  },
  roles: {
    fits: isFunction,
    problem: 'the option roles must be a function',
    remedy: "write roles: (req) => req.user?.isDeveloper ? ['public', 'editor'] : []",
  },
  examples: {
    fits: areExamples,
    problem: 'the option examples must be a list of groups, each with a title and a list of queries',
    remedy: "write [{ title: 'Lists', queries: [{ title: 'All', query: 'articles' }] }]",
  },
  beside: {
    fits: isWebAddress,
    problem: 'the option "beside" must be a URL',
    remedy: "write the API URL of a Strapi, such as 'http://localhost:1337/api'",
  },
}

export const faultsOfExplorer = (options: ExplorerOptions): Fault[] =>
  faultsOfValues('contentExplorer', options, checks)
