import type { Request } from 'express'

type QueryObject = Readonly<Record<string, unknown>>

/** What a request of a type asks where it does not say, as it would stand in Strapi's `populate`, `fields`, `sort` and `filters`. */
export interface TypeDefaults {
  /** As in `populate`: names, or an object with what is asked of each. */
  readonly populate?: string | readonly string[] | QueryObject
  /** Names of attributes. */
  readonly fields?: string | readonly string[]
  /** Keys such as `title` or `title:desc`. */
  readonly sort?: string | readonly (string | QueryObject)[] | QueryObject
  /** Conditions, which hold beside those of the request. */
  readonly filters?: QueryObject
}

type HostQuery = object | string | null | undefined

/** What is asked in place of what stands in the URL: an object such as `req.query`, or a text. Nothing: what stands there. */
export type QueryFunction = (req: Request) => HostQuery | Promise<HostQuery>
