/** What the database's clock of changes showed when it was asked. */
export interface Moment {
  /** Never the same again once something has been committed. */
  readonly clock: string
  /** Which server it was, or which file. */
  readonly server: string
  /** Whatever moved the clock to where it stands can be seen by whoever reads now. */
  readonly settled: boolean
}

/** When something was read: at a moment of the database, or, where no clock could be asked, at none. */
export type ReadAt = Moment | null

/** The clock is asked once for each request, when somebody first wants to know; undefined where there is none. */
export interface Now {
  readonly ask: () => Promise<ReadAt | undefined>
  readonly isAsked: () => boolean
}

export function makeNow(ask: Now['ask']): Now {
  let answer: Promise<ReadAt | undefined> | undefined
  return { ask: () => (answer ??= ask()), isAsked: () => answer !== undefined }
}

/** The clock that something read now may be kept by. */
export const clockOf = (moment: ReadAt): string | null => (moment?.settled === true ? moment.clock : null)
