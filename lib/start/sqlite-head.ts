import { closeSync, openSync, readSync } from 'node:fs'

/** As many bytes as tell what a file is; fewer where it has none. */
export function sqliteHead(file: string): Buffer {
  const head = Buffer.alloc(20)
  const opened = openSync(file, 'r')
  try {
    return head.subarray(0, readSync(opened, head, 0, head.length, 0))
  } finally {
    closeSync(opened)
  }
}
