import { existsSync, statSync } from 'node:fs'
import { type ArgumentValues, misuse, type Misuse } from './parse-words'

/** What `start` is told besides where definitions and tables are. */
export interface StartWords {
  /** Null: the one that the process was started in. */
  readonly folder: string | null
  /** In place of what a Strapi project says of its database. */
  readonly connection: { readonly client: string | undefined; readonly where: string } | null
  readonly role: string | null
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  readonly beside: string | null
}

export const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

const loopback = '127.0.0.1'

function portOf(text = '0'): number | Misuse {
  const port = Number(text)
  return /^\d+$/.test(text) && port <= 65_535 ? port : misuse(`--port ${text} is no port: 0 to 65535`)
}

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

/** With definitions named as well, the connection is a part of them. */
function connectionOf({
  client,
  connection,
  'content-types': folders,
}: ArgumentValues): StartWords['connection'] {
  return connection === undefined || folders !== undefined ? null : { client, where: connection }
}

export function readStartWords(folder: string | null, values: ArgumentValues): StartWords | Misuse {
  if (folder !== null && !isFolder(folder))
    return misuse(existsSync(folder) ? `${folder} is a file, and no folder` : `there is no folder ${folder}`)
  const port = portOf(values.port)
  if (typeof port === 'object') return port
  const { beside = null, host = loopback, role = null } = values
  if (beside !== null && !isWebAddress(beside))
    return misuse(`--beside is the address of a Strapi, such as http://localhost:1337`)
  return { folder, connection: connectionOf(values), role, host, port, beside }
}
