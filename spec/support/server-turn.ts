import { basename } from 'node:path'
import type { DatabaseName } from './servers'

/**
 * MariaDB or MySQL, which are much alike: with TURN=n a spec file runs on one of them, and on the other at another turn. Half of the
 * files have each. A file of `spec/slow` runs at every fourth turn, and changes the server each time.
 */
export function serverOfAnotherTurn(specFile: string): DatabaseName | undefined {
  const turn = process.env['TURN']
  if (turn === undefined) return undefined
  const letters = Buffer.from(basename(specFile)).reduce((sum, byte) => sum + byte, 0)
  const place = letters + Number(turn) + Math.floor(Number(turn) / 4)
  return place % 2 === 0 ? 'mysql' : 'mariadb'
}
