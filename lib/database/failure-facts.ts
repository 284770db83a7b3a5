/** What may be known of an error that a driver or the pool raised. */
export interface DatabaseFailure {
  readonly name?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly routine?: unknown
}

export const asFailure = (error: unknown): DatabaseFailure =>
  typeof error === 'object' && error !== null ? error : {}
