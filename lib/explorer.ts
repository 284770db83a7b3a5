// Comes in: a content router. Goes out: a page to build queries on. Refused: nothing.
import { type Request, Router } from 'express'
import type { ContentRouter } from './http'

export interface ExplorerOptions {
  readonly title?: string
  /** The roles that whoever asks may try. */
  readonly roles?: (req: Request) => readonly string[]
  /** Where a Strapi serves the same content, to which each query is sent as well. */
  readonly beside?: string
  /** Where the router is mounted. */
  readonly at?: string
  readonly examples?: readonly ExampleQueries[]
}

/** Queries that the page offers, under a heading. */
export interface ExampleQueries {
  readonly title: string
  readonly queries: readonly ExampleQuery[]
}

export interface ExampleQuery {
  readonly title: string
  readonly query: string
  readonly role?: string
}

/** A plain page, for as long as there is no other. */
export function contentExplorer(_api: ContentRouter, { title = 'Explorer' }: ExplorerOptions = {}): Router {
  const page = `<!doctype html><html lang="en"><title>${title.replace(/[<&]/g, '')}</title><h1>Explorer</h1>`
  return Router().get('/', (_req, res) => {
    res.type('html').send(page)
  })
}
