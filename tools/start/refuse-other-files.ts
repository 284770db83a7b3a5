import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from './start-error'

const isNamedLikeOne = (name: string): boolean => /\.(db|sqlite3?)$/.test(name)

function folderNamed(folder: string): StartError {
  const [file] = readdirSync(folder).filter(isNamedLikeOne).sort()
  const meant = file === undefined ? 'path/to/data.db' : join(folder, file)
  return new StartError(`${folder} is a folder. Name the file of the database: --connection ${meant}`)
}

/** As many bytes as tell what a file is; fewer where it has none. */
function headOf(file: string): Buffer {
  const head = Buffer.alloc(16)
  const opened = openSync(file, 'r')
  try {
    return head.subarray(0, readSync(opened, head, 0, head.length, 0))
  } finally {
    closeSync(opened)
  }
}

/** One that is empty is a database without tables. */
function isDatabase(file: string): boolean {
  const head = headOf(file)
  return head.length === 0 || head.toString('latin1').startsWith('SQLite format 3\0')
}

/** SQLite itself would say so only when it is asked for rows, and in words of its own. */
export function refuseOtherFiles(file: string): void {
  const stat = statSync(file)
  if (stat.isDirectory()) throw folderNamed(file)
  if (stat.isFile() && isDatabase(file)) return
  throw new StartError(
    `${file} is no SQLite database, or an encrypted one.\nName the file of the database, or its server: --connection <where>`,
  )
}
