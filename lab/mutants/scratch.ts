import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'
import type { Mutant } from './places'

/** What stays behind: packages are linked, and no spec reads the rest. */
const leftOut = ['node_modules', '.git', '.tmp']

/** The switch is found by a name that bundlers cannot follow. In a browser no mutant is active. */
const prelude = (folder: string): string =>
  `const mutants = (() => { try { return require([${JSON.stringify(join(folder, 'switch.cjs'))}].join()) } ` +
  'catch { return { value: (_, a) => a, truth: (_, a) => a, truthy: (_, a) => a, falsy: (_, a) => a, ' +
  'compare: (_, a, b, is) => is(a, b) } } })();'

function instrument(text: string, mutants: readonly Mutant[], folder: string): string {
  const edits = mutants.flatMap(({ number, edits }) => edits.map((edit) => ({ ...edit, number })))
  edits.sort((one, other) => other.start - one.start)
  const edited = edits.reduce(
    (text, { start, end, code, number }) => text.slice(0, start) + code(number) + text.slice(end),
    text,
  )
  const [, first = '', rest = ''] = /^(#!.*\n)?([^]*)$/.exec(edited) ?? []
  // Edits widen types, and some specs compile the sources.
  return `${first}// @ts-nocheck\n${prelude(folder)} ${rest}`
}

const compilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.CommonJS,
  esModuleInterop: true,
}

/** A copy of the checkout in which every mutant is present and none is active, in the sources and in what is built of it. */
export function makeScratch(checkout: string, scratch: string, mutants: readonly Mutant[]): void {
  rmSync(scratch, { recursive: true, force: true })
  cpSync(checkout, scratch, { recursive: true, filter: (path) => !leftOut.includes(basename(path)) })
  symlinkSync(join(checkout, 'node_modules'), join(scratch, 'node_modules'))
  const folder = join(scratch, '.mutants')
  cpSync(join(__dirname, 'inside'), folder, { recursive: true })
  for (const file of new Set(mutants.map(({ file }) => file))) {
    const own = mutants.filter((mutant) => mutant.file === file)
    const code = instrument(readFileSync(join(checkout, file), 'utf8'), own, folder)
    writeFileSync(join(scratch, file), code)
    const built = join(scratch, 'dist', file.replace(/\.ts$/, '.js'))
    if (existsSync(built)) writeFileSync(built, ts.transpileModule(code, { compilerOptions }).outputText)
  }
}
