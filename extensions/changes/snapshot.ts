/** Which transactions a reading of PostgreSQL sees: all before `next`, but for those that were under way. */
export interface Snapshot {
  /** All before it are over. */
  readonly lowest: number
  readonly next: number
  readonly underWay: ReadonlySet<number>
}

/** Numbers of transactions have 64 bits, of which no server has used up 53. */
const isNumber = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** As `pg_current_snapshot()` is written; null where it is not, as on a standby. */
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

/** The number that ends so and is nearest to another. */
export function wholeNumber(short: number, near: number): number {
  const ahead = (short - (near % span) + span) % span
  return near + (ahead < span / 2 ? ahead : ahead - span)
}

/** More than that were not looked through one by one in the time that it takes to read an answer. */
const most = 50_000

/** The transactions that the second sees and the first does not; null where they are too many to be listed. */
export function seenSince(before: Snapshot, now: Snapshot): readonly number[] | null {
  if (now.next - before.next > most) return null
  const seen = [...before.underWay].filter((transaction) => isSeen(now, transaction))
  for (let transaction = before.next; transaction < now.next; transaction += 1)
    if (isSeen(now, transaction)) seen.push(transaction)
  return seen
}

/** Whether the first sees all that the second does. */
export const seesAllOf = (one: Snapshot, other: Snapshot): boolean => seenSince(one, other)?.length === 0
