import type { StartAsked } from './start-asked'
import { StartError } from './start-error'

type ListeningPlace = Pick<StartAsked, 'host' | 'port'>

const nowhere = ({ host }: ListeningPlace): string => `This machine has no address ${host}: leave --host out.`

const sentences: Readonly<Record<string, (place: ListeningPlace) => string>> = {
  EADDRINUSE: ({ port }) =>
    `Port ${String(port)} is taken: --port names another, and without it a free one is found.`,
  EACCES: ({ port }) =>
    `Port ${String(port)} may not be opened by this user: --port names another, from 1024 on.`,
  EADDRNOTAVAIL: nowhere,
  ENOTFOUND: nowhere,
}

/** Why nothing can be served where it was asked for. */
export function listeningFault(error: unknown, place: ListeningPlace): unknown {
  const { code } = Object(error) as { readonly code?: unknown }
  const sentence = typeof code === 'string' ? sentences[code] : undefined
  return sentence === undefined ? error : new StartError(sentence(place))
}
