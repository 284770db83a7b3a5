import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Knex } from 'knex'
import type { SeedContent } from '../../extensions/seed'
import type { ContentRouterConfig } from '../../lib'

export interface CorpusRequest {
  /** Document ids are drawn at random when a world is seeded: the path has `{table:id}` in their place. */
  readonly path: string
  readonly role?: string
}

/** Requests to one router. Types, content and options are plain data, so that the router can be made again elsewhere. */
export interface CorpusPart {
  readonly contentTypes: ContentRouterConfig['contentTypes']
  readonly content: SeedContent
  readonly options: Partial<ContentRouterConfig>
  readonly requests: CorpusRequest[]
}

const root = join(__dirname, '..', '..')
const folder = join(root, '.tmp', 'corpus')

/** True for values that JSON keeps as they are. */
export function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain)
  if (typeof value === 'object' && value !== null) {
    return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain)
  }
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
}

/** Replaces what an earlier run of this spec file has written. */
export function writeCorpus(specFile: string, parts: readonly CorpusPart[]): void {
  mkdirSync(folder, { recursive: true })
  const name = relative(join(root, 'spec'), specFile).replaceAll(/[/\\]/g, '.')
  writeFileSync(
    join(folder, `${name}.json`),
    JSON.stringify(parts.filter(({ requests }) => requests.length > 0)),
  )
}

/** The requests that specs of `spec/meaning` have sent, by the name of the spec file. */
export function readCorpus(): readonly (readonly [name: string, parts: readonly CorpusPart[]])[] {
  mkdirSync(folder, { recursive: true })
  const files = readdirSync(folder).filter((name) => name.startsWith('meaning.'))
  return files.map((file) => [
    file.replaceAll(/^meaning\.|\.spec\.ts\.json$/g, ''),
    JSON.parse(readFileSync(join(folder, file), 'utf8')) as CorpusPart[],
  ])
}

/** Where each document stands, as `{table:id}`: the same content has the same rows on each database. */
export async function readDocumentIds(
  knex: Knex,
  contentTypes: ContentRouterConfig['contentTypes'],
): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>()
  for (const type of typeof contentTypes === 'string' ? [] : contentTypes) {
    if (typeof type === 'string' || !('kind' in type)) continue
    const table = type.collectionName
    const rows = await knex(table)
      .orderBy('id')
      .select<{ id: number; document_id: string }[]>('id', 'document_id')
    for (const row of rows) {
      if (!places.has(row.document_id)) places.set(row.document_id, `{${table}:${String(row.id)}}`)
    }
  }
  return places
}

/** Replaces ids of documents by their places, or places by ids. */
export const replaceIds = (text: string, replacements: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\b[a-z0-9]{24}\b|\{\w+:\d+\}/g, (word) => replacements.get(word) ?? word)
