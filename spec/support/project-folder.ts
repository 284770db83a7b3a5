import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder of its own with these files, for one `describe` block; removed after its tests. */
export function projectFolder(files: Readonly<Record<string, string>> = {}): {
  readonly path: string
  readonly write: (files: Readonly<Record<string, string>>) => void
} {
  const path = mkdtempSync(join(tmpdir(), 'content-router-project-'))
  const write = (written: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(written)) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), text)
    }
  }
  write(files)
  afterAll(() => {
    rmSync(path, { recursive: true })
  })
  return { path, write }
}
