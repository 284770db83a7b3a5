import { setImmediate } from 'node:timers/promises'
import { encode } from '../../lib/json'
import type { ListBatch, ListStream } from '../../lib/http'
import { cellWriter, csvColumns } from './csv'
import type { ExportFormat } from './export-query'

/** A format of the body: text before, between and behind the entries. */
interface BodyFormat {
  readonly contentType: string
  readonly before: string
  /** The entries of a batch. */
  readonly texts: (batch: ListBatch, isFirst: boolean) => Iterable<string> | Promise<Iterable<string>>
  readonly after: string
}

const isEmpty = ({ loaded }: ListBatch): boolean => loaded.rows.rows.length === 0

function* around(before: string, texts: Iterable<string>, after: string): Iterable<string> {
  yield before
  yield* texts
  yield after
}

type FormatOf = (list: ListStream, turn: () => Promise<void>, escapesFormulas: boolean) => BodyFormat

const entriesOf = (
  { writing }: ListStream,
  { compiled, loaded, entries }: ListBatch,
  separator: string,
): Iterable<string> => writing.texts(compiled, { kind: 'entries', separator })(loaded, entries, null) ?? []

const formats: Readonly<Record<ExportFormat, FormatOf>> = {
  ndjson: (list) => ({
    contentType: 'application/x-ndjson; charset=utf-8',
    before: '',
    texts: (batch) => (isEmpty(batch) ? [] : around('', entriesOf(list, batch, '\n'), '\n')),
    after: '',
  }),
  json: (list) => ({
    contentType: 'application/json; charset=utf-8',
    before: '[',
    texts: (batch, isFirst) =>
      isEmpty(batch) ? [] : around(isFirst ? '' : ',', entriesOf(list, batch, ','), ''),
    after: ']\n',
  }),
  csv: ({ permitted, writing }, turn, escapesFormulas) => {
    const columns = csvColumns(permitted.root)
    const writeCells = cellWriter(escapesFormulas)
    return {
      contentType: 'text/csv; charset=utf-8; header=present',
      before: writeCells(columns.map(({ name }) => name)),
      texts: async ({ compiled, loaded, entries }) => {
        const body = await writing.objects(compiled)(loaded, entries, turn)
        const { data } = body as { readonly data: readonly object[] }
        return data.map((entry) => writeCells(columns.map(({ valueIn }) => valueIn(entry))))
      },
      after: '',
    }
  },
}

/** The body of an export, in pieces. */
export interface ExportBody {
  readonly contentType: string
  readonly pieces: AsyncGenerator<Buffer, void>
}

export function writeBatches(
  list: ListStream,
  batches: AsyncIterable<ListBatch>,
  { format, escapeFormulas }: { readonly format: ExportFormat; readonly escapeFormulas: boolean },
): ExportBody {
  const { stop } = list
  const turn = async (): Promise<void> => {
    await setImmediate()
    if (stop.isStopped()) await stop.stopped
  }
  const { contentType, before, texts, after } = formats[format](list, turn, escapeFormulas)
  async function* pieces(): AsyncGenerator<Buffer, void> {
    let lead = before
    let isFirst = true
    for await (const batch of batches) {
      const { pieces: bytes } = await encode(around(lead, await texts(batch, isFirst), ''), turn)
      yield* bytes
      isFirst &&= isEmpty(batch)
      lead = ''
    }
    yield Buffer.from(after)
  }
  return { contentType, pieces: pieces() }
}
