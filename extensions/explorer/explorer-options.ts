import type { Request } from 'express'
import type { Role } from '../../lib/config'
import type { Fault } from '../../lib/errors'
import type { ExploredRouter } from '../../lib/http'
import { faultsOfUnknown, isRecord } from '../../lib/schema'

/** Names of roles or of test users, with the value that the router's option `role` would return for each. */
export type TriedRoles = readonly string[] | Readonly<Record<string, Exclude<Role, null>>>

/** Queries that the page offers, under a heading. */
export interface ExampleQueries {
  readonly title: string
  readonly queries: readonly ExampleQuery[]
}

export interface ExampleQuery {
  readonly title: string
  /** The query below the mount: `articles?populate=author`. */
  readonly query: string
  /** One of the names in `roles`; the query is sent in this role. */
  readonly role?: string
}

export interface ExplorerOptions {
  /** Title of the page. */
  readonly title?: string
  /** Mount path of the router in the code samples of the page; `/api` by default. */
  readonly at?: string
  /** The roles that the sender of this request may try, computed for each request. Without it, none. */
  readonly roles?: (req: Request) => TriedRoles | Promise<TriedRoles>
  /** The API of a Strapi that gets each query too, for comparison: `http://localhost:1337/api`. */
  readonly beside?: string
  readonly examples?: readonly ExampleQueries[]
}

function isWebAddress(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false
  const { protocol, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && search === '' && hash === ''
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const optionNames: Readonly<Record<keyof ExplorerOptions, true>> = {
  ...{ title: true, at: true, roles: true, beside: true, examples: true },
}

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

export function faultsOfExplorer(explored: ExploredRouter | null, options: ExplorerOptions): Fault[] {
  const { title = 'Content', at = '/api', beside, roles, examples = [] } = options
  const faults: readonly (Omit<Required<Fault>, 'pointer'> & { readonly isThere: boolean })[] = [
    {
      isThere: explored === null,
      where: 'contentExplorer',
      problem: 'needs a router of this package',
      remedy: 'write contentExplorer(contentRouter(config)), both from one installation',
    },
    {
      isThere: !isText(title),
      where: 'contentExplorer.title',
      problem: 'must be a string',
      remedy: 'write a title, or remove it',
    },
    {
      isThere: !isText(at) || !at.startsWith('/'),
      where: 'contentExplorer.at',
      problem: 'must be a path',
      remedy: "write the mount path of the router, such as '/api'",
    },
    {
      isThere: roles !== undefined && typeof roles !== 'function',
      where: 'contentExplorer.roles',
      problem: 'must be a function',
      remedy: "write roles: (req) => req.user?.isDeveloper ? ['public', 'editor'] : []",
    },
    {
      isThere: !areExamples(examples),
      where: 'contentExplorer.examples',
      problem: 'must be a list of titles with queries',
      remedy: "write [{ title: 'Lists', queries: [{ title: 'All', query: 'articles' }] }]",
    },
    {
      isThere: beside !== undefined && !isWebAddress(beside),
      where: 'contentExplorer.beside',
      problem: 'must be a URL',
      remedy: "write the API URL of a Strapi, such as 'http://localhost:1337/api'",
    },
  ]
  const wrong = faults.filter(({ isThere }) => isThere)
  return [
    ...faultsOfUnknown('contentExplorer', options, optionNames),
    ...wrong.map(({ where, problem, remedy }) => ({ where, problem, remedy })),
  ]
}
