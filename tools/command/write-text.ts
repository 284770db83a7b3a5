import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { TypesAsked } from './arguments'
import type { ExitCode, Output } from './output'

/** Git on Windows ends lines otherwise. */
const standing = (file: string): string | null =>
  existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\r\n', '\n') : null

/** To a file or the standard output; or it says whether the file is out of date. */
export function writeText(
  text: string,
  { out, when }: Pick<TypesAsked, 'out' | 'when'>,
  output: Output,
): ExitCode {
  if (out === null) {
    output.print(text.trimEnd())
    return 0
  }
  // What stands is left alone, so that nothing that watches the file starts again for nothing.
  const isUpToDate = standing(out) === text
  if (when === 'never, but compare') {
    if (isUpToDate) return 0
    output.complain(`${out} is out of date: run the same without --check`)
    return 1
  }
  if (!isUpToDate) writeFileSync(out, text)
  output.print(isUpToDate ? `${out} is up to date.` : `${out} is written.`)
  return 0
}
