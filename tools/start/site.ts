import type { RequestHandler } from 'express'
import type { ContentRouterConfig } from '../../lib/http'
import type { ExampleQueries } from '../../extensions/explorer'
import type { TracelessDatabase } from './open-traceless'

/** What is to be served, before anything is asked of it. */
export interface Site {
  /** What was found, in a few words. */
  readonly title: string
  /** What it is called. */
  readonly name: string
  readonly config: Omit<ContentRouterConfig, 'database'>
  /** Its tables are made by Strapi, not by us. */
  readonly isOfStrapi: boolean
  readonly opened: TracelessDatabase
  /** Where Strapi has its content. */
  readonly prefix: string
  readonly uploads: RequestHandler | null
  /** What could not be told of it. */
  readonly notes: readonly string[]
  /** Queries to begin with. */
  readonly examples: readonly ExampleQueries[]
}
