import type { Child, Entries, Rows } from '../load'
import type { Stepwise, WriteChildren } from './branch'

export interface RowWriter {
  readonly write: (rows: Rows, at: number) => string
  /** The same text, piece by piece: for entries that show many others. */
  readonly pieces: (rows: Rows, at: number, entries: Entries) => Iterable<string>
}

export interface PieceBranch {
  readonly write: WriteChildren
  readonly stepwise: Stepwise | null
  readonly writerOf: (rows: Rows) => RowWriter | undefined
}

/** What follows the columns of an entry: its branches, each behind its key, and what closes it. */
export interface Closing {
  readonly branches: readonly PieceBranch[]
  readonly leads: readonly string[]
  readonly tail: string
}

export const isShared = ({ ways }: Rows, at: number): boolean => (ways[at] ?? 0) > 1

/** An entry that shows this many, itself included, is written piece by piece. */
const long = 32

export const isLong = (entries: number): boolean => entries >= long

const weigh = (child: Child, entries: Entries): number =>
  child.in === null ? 1 : entries.at(child.in, child.at)

function showMany(children: readonly Child[], entries: Entries): boolean {
  let shown = 0
  for (const child of children) shown += weigh(child, entries)
  return isLong(shown)
}

/** What many lead to is written whole, once. */
function* childPieces(
  { writerOf }: PieceBranch,
  { each, isPlain }: Stepwise,
  child: Child,
  entries: Entries,
): Iterable<string> {
  const writer = child.in === null || !isPlain ? undefined : writerOf(child.in)
  const isWhole = child.in === null || isShared(child.in, child.at) || !isLong(weigh(child, entries))
  if (writer === undefined || isWhole) yield each(child)
  else yield* writer.pieces(child.in, child.at, entries)
}

export function* entryPieces(
  head: string,
  { branches, leads, tail }: Closing,
  rows: Rows,
  at: number,
  entries: Entries,
): Iterable<string> {
  let text = head
  for (const [place, branch] of branches.entries()) {
    const children = rows.children[place]?.[at] ?? []
    const total = rows.totals[place]?.[at] ?? null
    const { stepwise } = branch
    text += leads[place] ?? ''
    if (stepwise === null || !showMany(children, entries)) {
      text += branch.write(children, total)
      continue
    }
    text += stepwise.before
    for (const child of stepwise.many ? children : children.slice(0, 1)) {
      yield text
      text = ','
      yield* childPieces(branch, stepwise, child, entries)
    }
    text = stepwise.after(total)
  }
  yield text + tail
}
