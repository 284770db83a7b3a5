import { isEntry } from './entry'

/** Null without a message. */
export function errorMessageIn(body: unknown): string | null {
  const message = isEntry(body) && isEntry(body['error']) ? body['error']['message'] : null
  return typeof message === 'string' ? message : null
}
