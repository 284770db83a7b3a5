import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { poolSize } from '../../lib/database'
import { LimitError, UnavailableError } from '../../lib/errors'
import type { ListStream, ReadBatch } from '../../lib/http'
import { exportBatches } from './export-batches'
import type { ExportQuery } from './export-query'
import { type ExportBody, writeBatches } from './write-batches'

export interface ExportSettings {
  readonly maxExports: number
  /** Null: one snapshot for an export if the pool has other connections. */
  readonly snapshot: boolean | null
  readonly escapeFormulas: boolean
}

/** An export with the limit of its role. */
interface AskedExport extends ExportQuery {
  readonly maxRows: number
}

/** An export is rejected before its first byte, so that it is whole or an error. */
async function checkRows(read: ReadBatch, { start, limit, maxRows }: AskedExport): Promise<void> {
  if (limit <= maxRows) return
  const { loaded } = await read({ by: 'offset', start: start + maxRows, limit: 1, withCount: false })
  if (loaded.rows.rows.length === 0) return
  const excess = `The export would contain more than ${String(maxRows)} entries`
  throw new LimitError('maxRows', ['pagination'], excess, 'maxRows')
}

function setHeaders(
  { res, permitted, begin }: ListStream,
  { contentType }: ExportBody,
  format: string,
): void {
  const { route, singularName } = permitted.root.model
  begin()
  res.attachment(`${route ?? singularName}.${format}`)
  res.setHeader('Content-Type', contentType)
  res.vary('Accept-Encoding')
}

/** Each piece that the client has taken is progress. */
async function* renewing(
  { stop }: ListStream,
  first: IteratorResult<Buffer, void>,
  pieces: ExportBody['pieces'],
): AsyncGenerator<Buffer> {
  for (let next = first; next.done !== true; next = await pieces.next()) {
    yield next.value
    stop.renew()
  }
}

async function sendPart(
  list: ListStream,
  read: ReadBatch,
  asked: AskedExport,
  { escapeFormulas }: Pick<ExportSettings, 'escapeFormulas'>,
): Promise<void> {
  const { req, res, permitted } = list
  const { format, start, limit, maxRows } = asked
  await checkRows(read, asked)
  const part = { start, limit: Math.min(limit, maxRows), root: permitted.root }
  const body = writeBatches(list, exportBatches(read, part), { format, escapeFormulas })
  const first = await body.pieces.next()
  setHeaders(list, body, format)
  if (req.method === 'HEAD') {
    res.end()
    return
  }
  const pieces = Readable.from(renewing(list, first, body.pieces), { objectMode: true, highWaterMark: 1 })
  if (req.acceptsEncodings('gzip', 'identity') !== 'gzip') return pipeline(pieces, res)
  res.setHeader('Content-Encoding', 'gzip')
  return pipeline(pieces, createGzip(), res)
}

/** Sends exports. Those that hold a connection leave one for other requests. */
export function exportSender({
  maxExports,
  ...settings
}: ExportSettings): (list: ListStream, asked: AskedExport) => Promise<void> {
  let running = 0
  return async (list, asked) => {
    const connections = poolSize(list.database)
    const snapshot = settings.snapshot ?? connections > 1
    const most = snapshot ? Math.min(maxExports, Math.max(connections - 1, 1)) : maxExports
    if (running >= most) throw new UnavailableError('queue', 'Too many exports are running')
    running += 1
    const send = (read: ReadBatch): Promise<void> => sendPart(list, read, asked, settings)
    try {
      if (snapshot) await list.inSnapshot(send)
      else await send((page) => list.inSnapshot((read) => read(page)))
    } finally {
      running -= 1
    }
  }
}
