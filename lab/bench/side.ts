import type { RequestListener } from 'node:http'
import type { Prepared } from './data/prepare'
import type { Bodies } from './measure/facts'
import type { Variant } from './sides/variants'

export type SideName = Variant | 'knex' | 'limit' | 'memory' | 'http'

export type Given = Pick<Prepared, 'name' | 'bench' | 'recorded' | 'recordedTypes'> & {
  readonly side: SideName
  readonly prolific: string
  readonly lesser: string
  /** Answers as Strapi does. */
  readonly asStrapi: boolean
}

/** One of those that are compared, as it is served. */
export interface Side {
  readonly listener: RequestListener
  /** For the sides that answer from memory. */
  readonly remember?: (bodies: Bodies) => void
}
