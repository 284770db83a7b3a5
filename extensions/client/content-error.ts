/** What a server answered in place of content. */
export class ContentError extends Error {
  override readonly name: string
  readonly status: number
  /** Where in the query it is, and what besides the server tells. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, told: unknown) {
    const { name, message, details } = toldIn(told)
    super(typeof message === 'string' ? message : `The server answered ${String(status)}`)
    this.name = typeof name === 'string' ? name : 'ContentError'
    this.status = status
    this.details = isTable(details) ? details : {}
  }
}

type AnsweredTable = Readonly<Record<string, unknown>>

const isTable = (value: unknown): value is AnsweredTable => typeof value === 'object' && value !== null

/** A server that stands between may answer anything. */
const toldIn = (body: unknown): AnsweredTable =>
  isTable(body) && isTable(body['error']) ? body['error'] : {}

export const noSuchEntry = (): ContentError =>
  new ContentError(404, { error: { name: 'NotFoundError', message: 'Not Found' } })

export const oddAnswer = (status: number, message: string): ContentError =>
  new ContentError(status, { error: { message: `The server answered ${message}` } })

/** A page for people, most likely: of a server that answers any path, or of a login that stands before it. */
export const noContent = ({ status, headers }: Response): ContentError => {
  const form = headers.get('content-type') ?? 'nothing'
  return oddAnswer(status, `${form} in place of content`)
}
