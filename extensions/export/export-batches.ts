import { LimitError } from '../../lib/errors'
import type { ListBatch, ReadBatch } from '../../lib/http'
import { decidingOrders, type KeysetPage, type Level, type Page } from '../../lib/plan'

/** The first byte does not wait for a whole batch. */
const firstBatch = 100
const fullBatch = 1000

/** The part of a list to export, and how it is read. */
export interface ExportedPart {
  readonly start: number
  readonly limit: number
  readonly root: Level<never>
}

/** Keyset pages need sort keys that databases compare again. */
const hasKeyset = ({ order }: Level<never>): boolean =>
  decidingOrders(order)
    .slice(0, -1)
    .every(({ steps, column }) => column.type !== 'json' && !steps.some(({ field }) => field.many))

interface Position {
  /** Entries before this position, in the list. */
  readonly start: number
  /** Null: read by number. */
  readonly keyset: Pick<KeysetPage, 'from' | 'start'> | null
}

function pageAt({ start, keyset }: Position, limit: number): Page {
  if (keyset === null) return { by: 'offset', start, limit, withCount: false }
  return { by: 'cursor', side: 'after', list: '', path: [], limit, withCount: false, ...keyset }
}

/** Reads a batch. If populated entries exceed `maxEntries`, the batch is read again with fewer entries of the list. */
async function readSmaller(
  read: ReadBatch,
  position: Position,
  limit: number,
): Promise<{ readonly batch: ListBatch; readonly limit: number }> {
  for (let size = limit; ; size = Math.ceil(size / 4)) {
    try {
      return { batch: await read(pageAt(position, size)), limit: size }
    } catch (error) {
      if (!(error instanceof LimitError) || size === 1) throw error
    }
  }
}

/** Reads the part in batches, each while the one before it is sent. */
export async function* exportBatches(
  read: ReadBatch,
  { start, limit, root }: ExportedPart,
): AsyncGenerator<ListBatch> {
  let position: Position = { start, keyset: hasKeyset(root) ? { from: null, start } : null }
  let left = limit
  let size = firstBatch
  let most = fullBatch
  const readNext = (): ReturnType<typeof readSmaller> => {
    const reading = readSmaller(read, position, Math.min(size, left))
    // The batch before it may fail first.
    reading.catch(() => undefined)
    return reading
  }
  let reading: ReturnType<typeof readSmaller> | null = readNext()
  while (reading !== null) {
    const { batch, limit: asked } = await reading
    const count = batch.loaded.rows.rows.length
    if (asked < Math.min(size, left)) most = asked
    size = most
    left -= count
    if (count < asked || left === 0) reading = null
    else {
      const behind = position.start + count
      const isKeyset = position.keyset !== null && batch.last !== null
      position = { start: behind, keyset: isKeyset ? { from: batch.last } : null }
      reading = readNext()
    }
    yield batch
  }
}
