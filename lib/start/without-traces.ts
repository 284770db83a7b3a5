import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { sqliteHead } from './sqlite-head'

/** A file of SQLite's that may be opened without anything being left beside the one that was meant. */
export interface TracelessFile {
  readonly file: string
  readonly isCopy: boolean
  readonly remove: () => void
}

/** The file says itself, in the bytes 18 and 19, that it is written by a log beside it. */
function hasLog(file: string): boolean {
  const head = sqliteHead(file)
  return head[18] === 2 && head[19] === 2
}

/**
 * Who opens a file with a log makes two files beside it, unless another has it open, and even if they only read; and who
 * only reads does not clear them away. So a copy is read, as the file is now.
 */
export function withoutTraces(file: string): TracelessFile {
  const log = `${file}-wal`
  const isOpenElsewhere = existsSync(log) && existsSync(`${file}-shm`)
  if (!hasLog(file) || isOpenElsewhere) return { file, isCopy: false, remove: () => undefined }
  const folder = mkdtempSync(join(tmpdir(), 'content-router-copy-'))
  const copy = join(folder, basename(file))
  copyFileSync(file, copy)
  if (existsSync(log)) copyFileSync(log, `${copy}-wal`)
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true })
  }
  return { file: copy, isCopy: true, remove }
}
