import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../lib/errors'
import {
  compareDefinitions,
  formatDefinition,
  introspect,
  type Introspection,
  withoutMissing,
} from '../introspect'
import { inStep, openTraceless } from '../start'
import type { Command, IntrospectWords } from './arguments'
import { readConfigFile } from './config-file'
import { describeIntrospection } from './describe-introspection'
import type { ExitCode, Output } from './output'

/** Slashes and the like would name another place. */
const fileIn = (folder: string, table: string): string =>
  join(folder, `${table.replace(/[^\p{L}\p{N}_-]/gu, '-')}.json`)

/** Undefined without a file. */
function readDefinition(file: string): unknown {
  try {
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  } catch (error) {
    throw new ConfigError([{ where: file, problem: String(error), remedy: 'fix or remove the file' }])
  }
}

function compareFiles(out: string, { definitions, tables }: Introspection, output: Output): ExitCode {
  const found = [...definitions].flatMap(([table, definition]) => {
    const file = fileIn(out, table)
    const written = readDefinition(file)
    if (written === undefined) return [`${file}: the file does not exist`]
    return compareDefinitions(written, definition, tables).map((difference) => `${file}: ${difference}`)
  })
  if (found.length === 0) {
    output.print('The definitions match the database.')
    return 0
  }
  output.complain(found.join('\n'))
  return 1
}

function writeFiles(words: IntrospectWords, found: Introspection, output: Output): ExitCode {
  const { out, overwrites } = words
  const isDry = words.when === 'dry run'
  const stays = (table: string): boolean =>
    !found.definitions.has(table) || (!overwrites && !isDry && existsSync(fileIn(out, table)))
  const staying = [...found.tables.keys()].filter(stays).map((table) => readDefinition(fileIn(out, table)))
  const existing = [...found.definitions.keys()].filter(stays).map((table) => fileIn(out, table))
  const named = `These files already exist. To replace the files, add --force:\n  ${existing.join('\n  ')}`
  const changed = [...found.definitions].filter(([table]) => !stays(table))
  const definitions = new Map(changed.map(([table, one]) => [table, withoutMissing(one, staying)]))
  if (definitions.size === 0 && existing.length > 0) {
    output.complain(`Nothing was written. ${named}`)
    return 1
  }
  if (!isDry) mkdirSync(out, { recursive: true })
  for (const [table, definition] of definitions) {
    const [file, text] = [fileIn(out, table), formatDefinition(definition)]
    if (isDry) output.print(`${file}\n${text}`)
    else writeFileSync(file, text)
  }
  output.print(describeIntrospection({ ...found, definitions, kept: overwrites || isDry ? found.kept : [] }))
  if (isDry) return 0
  const written = definitions.size === 1 ? '1 file was' : `${String(definitions.size)} files were`
  output.print(`\n${written} written to ${out}.`)
  if (existing.length > 0) output.print(named)
  return 0
}

/** Reads the database, and writes nothing to it. */
export async function runIntrospect(
  { source, introspecting }: Extract<Command, { kind: 'introspect' }>,
  output: Output,
): Promise<ExitCode> {
  const { out, when } = introspecting
  const config = await readConfigFile(source)
  const { database, close } = openTraceless(config.database, process.cwd(), false)
  try {
    const readFile = (table: string): unknown => readDefinition(fileIn(out, table))
    const options = { ...introspecting, readFile }
    const found = await inStep(output, 'Reading the tables', () => introspect(database, options))
    return when === 'never, but compare'
      ? compareFiles(out, found, output)
      : writeFiles(introspecting, found, output)
  } finally {
    await close()
  }
}
