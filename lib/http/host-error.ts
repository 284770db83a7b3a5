/** What a function of the host threw, or that it answered what it must not, on the way to the handler of errors. */
export class HostError extends Error {
  override readonly name = 'HostError'

  constructor(override readonly cause: unknown) {
    super('a function of the options failed')
  }
}

const isStatus = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 400

/** An error that brings a status, as those of http-errors do, was made to be answered by the host. */
export function bringsStatus(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { status, statusCode } = error as { readonly status?: unknown; readonly statusCode?: unknown }
  return isStatus(status) || isStatus(statusCode)
}
