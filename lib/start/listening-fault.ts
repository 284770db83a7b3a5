import { StartError } from './start-error'

const nowhere = 'This machine has no such address: leave --host out.'

const sentences: Readonly<Record<string, string>> = {
  EADDRINUSE: 'This port is taken: --port names another, and without it a free one is found.',
  EACCES: 'This port may not be opened: --port names another, from 1024 on.',
  EADDRNOTAVAIL: nowhere,
  ENOTFOUND: nowhere,
}

/** Why nothing can be served where it was asked for. */
export function listeningFault(error: unknown): unknown {
  const { code } = Object(error) as { readonly code?: unknown }
  const sentence = typeof code === 'string' ? sentences[code] : undefined
  return sentence === undefined ? error : new StartError(sentence)
}
