import type { Run } from './follow'

/** What a database's counter of commits shows. */
export interface Shown {
  /** Never the same again after a commit on this server; null where it cannot say. */
  readonly count: string | null
  /** One run of one server, or one file: what two connections have in common if they see the same. */
  readonly server: string
}

/** What a reading heard of the state of the database. */
export interface ToldState {
  readonly connection: object
  /** What the page's own statement told; undefined where no row did. */
  readonly state: unknown
  /** What the database said when it was asked behind the page. */
  readonly shown: Shown | null
  readonly isInSnapshot: boolean
}

/** Which state of the database a page showed. */
export interface SeenState {
  /** Whose states these are: those of another are not comparable. */
  readonly source: object
  /** Never seen again after a commit. */
  readonly state: string
}

/** Finds out which state of the database a page shows. */
export interface Sight {
  /** Asks for what the statement of a page cannot tell; to be sent behind that. */
  readonly ask: ((run: Run, connection: object) => Promise<Shown | null>) | null
  /** Null where nothing follows from what was told. */
  readonly seen: (told: ToldState) => SeenState | null
}

/** What earlier readings know of a total, and what this one may add. */
export interface Recall {
  /** Whether the page is worth reading without its total. */
  readonly isLikely: boolean
  readonly totalIn: (seen: SeenState) => number | undefined
  readonly learn: (seen: SeenState, total: number) => void
}
