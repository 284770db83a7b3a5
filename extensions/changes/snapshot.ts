/** The transactions that a PostgreSQL snapshot sees: all before `next`, except for running ones. */
export interface Snapshot {
  /** All before it are over. */
  readonly lowest: number
  readonly next: number
  readonly underWay: ReadonlySet<number>
}

/** Transaction numbers have 64 bits, of which no server has used 53. */
const isNumber = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** Parses `pg_current_snapshot()`; null for another text, as on a standby. */
export function readSnapshot(text: string): Snapshot | null {
  const [, lowest, next, list] = /^(\d+):(\d+):([\d,]*)$/.exec(text) ?? []
  if (list === undefined) return null
  const underWay = list === '' ? [] : list.split(',').map(Number)
  const snapshot = { lowest: Number(lowest), next: Number(next), underWay: new Set(underWay) }
  return [snapshot.lowest, snapshot.next, ...underWay].every(isNumber) ? snapshot : null
}

export const isSeen = ({ lowest, next, underWay }: Snapshot, transaction: number): boolean =>
  transaction < lowest || (transaction < next && !underWay.has(transaction))

/** The log has the last 32 bits of numbers. */
const span = 2 ** 32

/** The number with these last bits that is nearest to another. */
export function wholeNumber(short: number, near: number): number {
  const ahead = (short - (near % span) + span) % span
  return near + (ahead < span / 2 ? ahead : ahead - span)
}

/** Checking more one by one would take longer than reading a response. */
const most = 50_000

/** Transactions that the second sees and the first does not; null for too many. */
export function seenSince(before: Snapshot, now: Snapshot): readonly number[] | null {
  if (now.next - before.next > most) return null
  const seen = [...before.underWay].filter((transaction) => isSeen(now, transaction))
  for (let transaction = before.next; transaction < now.next; transaction += 1)
    if (isSeen(now, transaction)) seen.push(transaction)
  return seen
}

/** True if the first sees everything that the second sees. */
export const seesAllOf = (one: Snapshot, other: Snapshot): boolean => seenSince(one, other)?.length === 0
