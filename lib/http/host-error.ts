/** A function of the host threw, or returned an invalid value. */
export class HostError extends Error {
  override readonly name = 'HostError'

  constructor(override readonly cause: unknown) {
    super('a function of the options failed')
  }
}

/** Errors with a status, such as those of http-errors, are for the error handler of the host. */
export function bringsStatus(error: unknown): boolean {
  const { status, statusCode } = Object(error) as { readonly status?: unknown; readonly statusCode?: unknown }
  return [status, statusCode].some((value) => Number.isInteger(value) && Number(value) >= 400)
}
