import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  compareDefinitions,
  describeIntrospection,
  formatDefinition,
  introspect,
  type Introspection,
} from '../introspect'
import { databaseAt, inStep, openTraceless } from '../start'
import type { Command, IntrospectWords } from './arguments'
import { readConfigFile } from './config-file'
import type { ExitCode, Output } from './output'
import type { Misuse } from './parse-words'

/** Slashes and the like would name another place. */
const fileIn = (folder: string, table: string): string =>
  join(folder, `${table.replace(/[^\p{L}\p{N}_-]/gu, '-')}.json`)

function differences(out: string, { definitions }: Introspection): readonly string[] {
  return [...definitions].flatMap(([table, definition]) => {
    const file = fileIn(out, table)
    if (!existsSync(file)) return [`${file}: there is no such file`]
    const written: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return compareDefinitions(written, definition).map((difference) => `${file}: ${difference}`)
  })
}

function compareFiles(out: string, introspection: Introspection, output: Output): ExitCode {
  const found = differences(out, introspection)
  if (found.length === 0) {
    output.print('The definitions match the database.')
    return 0
  }
  output.complain(found.join('\n'))
  return 1
}

function writeFiles({ out, overwrites }: IntrospectWords, found: Introspection, output: Output): ExitCode {
  const files = [...found.definitions].map(([table, definition]) => ({
    file: fileIn(out, table),
    text: formatDefinition(definition),
  }))
  const existing = files.filter(({ file }) => existsSync(file)).map(({ file }) => file)
  if (existing.length > 0 && !overwrites) {
    output.complain(
      `Nothing was written. These files exist; --force replaces them:\n  ${existing.join('\n  ')}`,
    )
    return 1
  }
  mkdirSync(out, { recursive: true })
  for (const { file, text } of files) writeFileSync(file, text)
  output.print(describeIntrospection(found))
  output.print(
    `\n${files.length === 1 ? '1 file was' : `${String(files.length)} files were`} written to ${out}.`,
  )
  return 0
}

function printFiles({ out }: IntrospectWords, found: Introspection, output: Output): ExitCode {
  for (const [table, definition] of found.definitions)
    output.print(`${fileIn(out, table)}\n${formatDefinition(definition)}`)
  output.print(describeIntrospection(found))
  return 0
}

/** Reads the database, and writes nothing to it. */
export async function runIntrospect(
  { source, introspecting }: Extract<Command, { kind: 'introspect' }>,
  output: Output,
): Promise<ExitCode | Misuse> {
  const { connection, out, when } = introspecting
  const config = connection === null ? await readConfigFile(source) : { database: databaseAt(connection) }
  if ('message' in config) return config
  const { database, close } = openTraceless(config.database, process.cwd(), false)
  try {
    const found = await inStep(output, 'Reading the tables', () => introspect(database, introspecting))
    if (when === 'never, but compare') return compareFiles(out, found, output)
    return when === 'dry run'
      ? printFiles(introspecting, found, output)
      : writeFiles(introspecting, found, output)
  } finally {
    await close()
  }
}
