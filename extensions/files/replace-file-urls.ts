import { type Compiled, type CompiledLevel, notJson, positionOf, type Row } from '../../lib/sql'
import type { LevelRows, LoadedRows } from '../../lib/read'
import { once } from '../../lib/memory'

/** Describes a file of a response, or one of the file's formats. */
export interface ShownFile {
  readonly id: number
  readonly url: string
  /** Names the format, such as `thumbnail` or `small`. For the file itself, `format` is null. */
  readonly format: string | null
}

type FileUrlOf = (file: ShownFile) => Promise<string>

/** Positions of the file columns in the rows of a level. */
interface FilePlaces {
  readonly id: number
  readonly url: number | null
  readonly formats: number | null
}

function placesIn({ level, positions }: CompiledLevel): FilePlaces | null {
  if (!level.model.open) return null
  const at = (name: string): number | null => {
    const column = level.columns.find((one) => one.name === name)
    return column === undefined ? null : positionOf(positions, column.column)
  }
  const [id, url, formats] = [at('id'), at('url'), at('formats')]
  return id === null || (url === null && formats === null) ? null : { id, url, formats }
}

const showsFilesIn = (level: CompiledLevel): boolean =>
  placesIn(level) !== null || level.targets.some(showsFilesIn)

export const showsFiles = ({ root }: Compiled): boolean => showsFilesIn(root)

function levelsOf(rows: LevelRows, seen = new Set<LevelRows>()): Set<LevelRows> {
  if (seen.has(rows)) return seen
  seen.add(rows)
  const below = new Set<LevelRows>()
  for (const branch of rows.children)
    for (const children of branch)
      for (const child of children ?? []) if (child.in !== null) below.add(child.in)
  for (const one of below) levelsOf(one, seen)
  return seen
}

type StoredFormat = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is StoredFormat =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || value.startsWith(notJson)) return value
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

async function formatsWith(
  value: unknown,
  urlOf: (url: string, format: string) => Promise<string>,
): Promise<unknown> {
  const formats = parsed(value)
  if (!isObject(formats)) return value
  const shown = Object.entries(formats).map(async ([name, format]): Promise<[string, unknown]> => {
    if (!isObject(format) || typeof format['url'] !== 'string') return [name, format]
    return [name, { ...format, url: await urlOf(format['url'], name) }]
  })
  return JSON.stringify(Object.fromEntries(await Promise.all(shown)))
}

async function replaceIn(row: Row, { id, url, formats }: FilePlaces, fileUrlOf: FileUrlOf): Promise<void> {
  const urlOf = (stored: string, format: string | null): Promise<string> =>
    fileUrlOf({ id: Number(row[id]), url: stored, format })
  const stored = url === null ? null : row[url]
  const [own, others] = await Promise.all([
    typeof stored === 'string' ? urlOf(stored, null) : stored,
    formats === null ? null : formatsWith(row[formats], urlOf),
  ])
  // No other reading shares these rows.
  const writable = row as unknown[]
  if (url !== null) writable[url] = own
  if (formats !== null) writable[formats] = others
}

/** Rows that occur in several levels are changed once. */
function* filesIn(loaded: LoadedRows): Iterable<readonly [Row, FilePlaces]> {
  const seen = new Map<Row, Set<number>>()
  for (const { of, rows } of levelsOf(loaded.rows)) {
    const places = placesIn(of)
    if (places === null) continue
    for (const row of rows) {
      if (row === null) continue
      const known = once(seen, row, () => new Set<number>())
      if (!known.has(places.id)) yield [row, places]
      known.add(places.id)
    }
  }
}

/** Replaces the stored URLs, all at once. Calls the function once for each file and format. */
export async function replaceFileUrls(loaded: LoadedRows, fileUrlOf: FileUrlOf): Promise<void> {
  const asked = new Map<string, Promise<string>>()
  const urlOf: FileUrlOf = (file) =>
    once(asked, JSON.stringify([file.id, file.format, file.url]), () => fileUrlOf(file))
  await Promise.all([...filesIn(loaded)].map(([row, places]) => replaceIn(row, places, urlOf)))
}
