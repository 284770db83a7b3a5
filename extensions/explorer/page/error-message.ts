import { isEntry } from './entry'

/** What an error of the API says; null where it says nothing. */
export function errorMessageIn(body: unknown): string | null {
  const message = isEntry(body) && isEntry(body['error']) ? body['error']['message'] : null
  return typeof message === 'string' ? message : null
}
