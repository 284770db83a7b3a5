import type { ContentTypesConfig } from '../../lib/config'
import type { ContentRouterConfig } from '../../lib/http'

export const explorerPath = '/explorer'

/** A new project has no types. */
export const noTypesYet = (): StartError =>
  new StartError(
    "The folder src/api contains no content types. Create a content type in the Content-Type Builder of Strapi's admin panel, then start again.",
  )

/** Nothing can be started: the message is for the terminal, with advice. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

export interface StartOptions {
  readonly folder: string
  /** True if the folder was named: then no other is searched. */
  readonly isNamed: boolean
  /** The config of a file or of flags; null without both. */
  readonly config: (ContentTypesConfig & Partial<ContentRouterConfig>) | null
  /** Replaces the database of a Strapi project: a URL, or the file of a SQLite database. */
  readonly connection: { readonly client: string | undefined; readonly where: string } | null
  /** The role of requests; null: one that may read all. */
  readonly role: string | null
  readonly host: string
  readonly port: number
  readonly beside: string | null
}

/** The name of long work; a function adds its progress. */
export type StepName = string | (() => string)

export interface Printer {
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
  /** Makes a part of printed text stand out; absent without colours. */
  readonly emphasize?: (text: string) => string
  /** Shows that long work goes on until the returned function is called; absent without a terminal. */
  readonly beginStep?: (name: StepName) => () => void
}

export const emphasized = ({ emphasize }: Printer, text: string): string => emphasize?.(text) ?? text

export async function inStep<T>({ beginStep }: Printer, name: StepName, work: () => Promise<T>): Promise<T> {
  const end = beginStep?.(name)
  try {
    return await work()
  } finally {
    end?.()
  }
}
