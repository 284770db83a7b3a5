import { namedQueries, type NamedQueries } from '../../extensions/queries'
import { strapi5 } from '../../extensions/strapi'
import type { ContentRouterConfig } from '../../lib'
import type { StackName } from '../../spec/support/behind/stacks'

type Options = Partial<ContentRouterConfig>

/** The options that the recorded Strapi had, as far as the router has them too. */
export type Recorded = Pick<ContentRouterConfig, 'pagination' | 'defaultLocale'>

/** Queries of the host's. */
export const named = {
  card: {
    type: 'article',
    query: { fields: ['title', 'slug'], populate: { cover: true, tags: { fields: ['name'] } } },
    parameters: { tag: 'filters.tags.name.$eq', kinds: 'filters.kind.$in' },
  },
  newest: {
    type: 'article',
    query: { sort: 'startsAt:desc', filters: { views: { $gte: '0' } } },
    parameters: { from: 'filters.views.$gte' },
  },
} as const satisfies NamedQueries

/** Where routers are mounted, all of the same content, with the options that change what is asked, read or sent. */
export const mounts: Readonly<Record<string, (recorded: Recorded) => Options>> = {
  '/own': (recorded) => ({
    ...{ ...recorded, drafts: 'open', nestedPagination: true },
    extensions: [namedQueries(named)],
  }),
  '/strapi': (recorded) => ({ ...recorded, extensions: [strapi5()] }),
  '/default': () => ({}),
  '/database': (recorded) => ({ ...recorded, drafts: 'open', textMatching: 'database' }),
  '/wrapped': (recorded) => ({
    ...{ ...recorded, drafts: 'open', nestedPagination: true },
    ...{ relations: 'wrapped', localizations: 'flat', unlistedZoneElements: 'omit' },
  }),
  '/cached': (recorded) => ({ ...recorded, drafts: 'open', nestedPagination: true, cache: {} }),
  '/compressed': (recorded) => ({ ...recorded, extensions: [strapi5()], cache: { compress: true } }),
}

/** What may stand before them. Sessions do not: their store keeps one of every request, which would weigh. */
export const stacks = [
  'alone',
  ...(['compression', '@polka/compression', 'helmet', 'cors', 'morgan', 'response-time'] as const),
  ...(['express-rate-limit', 'server-timing', 'body parsers'] as const),
  ...(['a host that tags bodies', 'a host that streams bodies'] as const),
] satisfies readonly StackName[]

export const encodings = ['gzip', 'gzip', 'br', 'identity'] as const

/** What a request passes before it comes to the router. */
export interface Standing {
  readonly express: '4' | '5'
  readonly stack: (typeof stacks)[number]
  readonly encoding: (typeof encodings)[number]
}
