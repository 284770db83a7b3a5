import type { Request } from 'express'

type QueryObject = Readonly<Record<string, unknown>>

/** What a request of a type asks where it does not say, as it would stand in Strapi's `populate`, `fields`, `sort` and `filters`. */
export interface TypeDefaults {
  readonly populate?: string | readonly string[] | QueryObject
  readonly fields?: string | readonly string[]
  readonly sort?: string | readonly (string | QueryObject)[] | QueryObject
  readonly filters?: QueryObject
}

type HostQuery = object | string | null | undefined

/** What is asked in place of what stands in the URL: an object such as `req.query`, or a text. Nothing: what stands there. */
export type QueryFunction = (req: Request) => HostQuery | Promise<HostQuery>
