/** Describes the error of a call: an error response, or a response without content. */
export class ContentError extends Error {
  override readonly name: string
  readonly status: number
  /** Contains the position in the query, and other facts from the server. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, told: unknown) {
    const { name, message, details } = errorIn(told)
    super(typeof message === 'string' ? message : `The server responded with ${String(status)}`)
    this.name = typeof name === 'string' ? name : 'ContentError'
    this.status = status
    this.details = isTable(details) ? details : {}
  }
}

type AnsweredTable = Readonly<Record<string, unknown>>

const isTable = (value: unknown): value is AnsweredTable => typeof value === 'object' && value !== null

/** Proxies may send any body. */
const errorIn = (body: unknown): AnsweredTable =>
  isTable(body) && isTable(body['error']) ? body['error'] : {}

export const noSuchEntry = (): ContentError =>
  new ContentError(404, { error: { name: 'NotFoundError', message: 'Not Found' } })

export const unexpectedResponse = (status: number, message: string): ContentError =>
  new ContentError(status, { error: { message: `The server responded with ${message}` } })

/** Probably an HTML page: of a server with a catch-all route, or of a login page in front of it. */
export const noContent = ({ status, headers }: Response): ContentError => {
  const form = headers.get('content-type') ?? 'nothing'
  return unexpectedResponse(status, `${form} instead of content`)
}
