import type { Request } from 'express'
import type { ContentTypesConfig } from '../../lib/config'
import type { ContentRouterConfig } from '../../lib/http'

export const explorerPath = '/explorer'

/** Strapi's answers have no `meta.explain`, so that only who asks for it is told: as the explorer does on demand. */
export const wantsExplanation = (req: Request): boolean => req.get('X-Explain') !== undefined

/** A project that was made a moment ago has none. */
export const noTypesYet = (): StartError =>
  new StartError(
    "There are no content types in src/api yet: make one in the Content-Type Builder of Strapi's admin panel, then start again.",
  )

/** Why nothing can be started: a sentence for the person at the terminal, that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** What a person asked to have started. */
export interface StartAsked {
  /** Where everything is looked for. */
  readonly folder: string
  /** Whether they named the folder: then it is this one or none. */
  readonly isNamed: boolean
  /** That of a file, or of flags: null where there is neither. */
  readonly config: (ContentTypesConfig & Partial<ContentRouterConfig>) | null
  /** In place of what a Strapi project says of its database: a URL, or the file of a SQLite database. */
  readonly connection: { readonly client: string | undefined; readonly where: string } | null
  /** As whom requests are answered; null: as one who may read all. */
  readonly role: string | null
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  /** A Strapi that is asked the same. */
  readonly beside: string | null
}

/** What is said in between, line by line. */
export interface Teller {
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
}
