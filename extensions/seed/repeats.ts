import type { Knex } from 'knex'
import type { Entry } from './seeding'

const chunkSize = 500

async function findTaken(knex: Knex, table: string, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const ids = entries.map(({ documentId }) => documentId)
  const rows = await knex<{ document_id: string }>(table).whereIn('document_id', ids).select('document_id')
  const taken = new Set(rows.map((row) => row.document_id))
  return entries.filter(({ documentId }) => taken.has(documentId))
}

/** The entries whose document the database holds already: seeding them again would make it twice. */
export async function findRepeats(knex: Knex, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const seeded: Entry[] = []
  for (const table of new Set(entries.map(({ model }) => model.table))) {
    const ofTable = entries.filter(({ model }) => model.table === table)
    for (let start = 0; start < ofTable.length; start += chunkSize) {
      seeded.push(...(await findTaken(knex, table, ofTable.slice(start, start + chunkSize))))
    }
  }
  return seeded
}
