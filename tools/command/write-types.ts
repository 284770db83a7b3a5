import { watch } from 'node:fs'
import { contentTypes } from '../types'
import type { TypesTarget } from './arguments'
import { type CheckedConfig, readableTypes } from './config-file'
import { type ExitCode, type Output, writeText } from './output'

/** The command that made the types, in a comment. */
function headOf({ words }: TypesTarget): string {
  const again = words.filter((word) => word !== '--check' && word !== '--watch')
  return `// Made by: content-router ${again.join(' ')}\n// Do not change it: make it again.\n\n`
}

function writeOnce(config: CheckedConfig, writing: TypesTarget, output: Output): ExitCode {
  const { types, schema, options } = readableTypes(config, writing.role)
  return writeText(headOf(writing) + contentTypes(types, schema, options), writing, output)
}

const foldersOf = ({ contentTypes: source }: CheckedConfig): readonly string[] =>
  [source].flat().filter((one) => typeof one === 'string')

/** Editors save several files at once, and Git changes many. */
const restMs = 100

/** Several folders may change at once, too. */
async function writeAtChanges(
  write: () => void,
  folders: readonly string[],
  until?: AbortSignal,
): Promise<void> {
  let waiting: NodeJS.Timeout | undefined
  const watching = (folder: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const watcher = watch(folder, { recursive: true, ...(until && { signal: until }) }, (_event, name) => {
        if (name?.endsWith('.json') === false) return
        clearTimeout(waiting)
        waiting = setTimeout(write, restMs)
      })
      watcher.on('close', resolve).on('error', reject)
    })
  await Promise.all(folders.map(watching)).finally(() => {
    clearTimeout(waiting)
  })
}

/** Runs until the process ends: a definition with a temporary error does not end it. */
export async function writeTypes(
  config: CheckedConfig,
  writing: TypesTarget,
  output: Output,
): Promise<ExitCode> {
  if (writing.when !== 'on change') return writeOnce(config, writing, output)
  const write = (): void => {
    try {
      writeOnce(config, writing, output)
    } catch (error) {
      output.complain(error instanceof Error ? error.message : String(error))
    }
  }
  write()
  await writeAtChanges(write, foldersOf(config), output.until)
  return 0
}
