import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import type * as Parser from 'dotenv'
import type { Fault } from '../errors'

export type Environment = Readonly<Record<string, string | undefined>>

/** As in Strapi, whose parser this is: what it makes of a value is written down nowhere else. */
function parse(text: string): Environment {
  // Only who reads a project pays for it.
  const parser = require('dotenv') as typeof Parser
  return parser.parse(text)
}

/** Strapi is started in its project. */
function pathOf(root: string, { ENV_PATH: path }: Environment): string {
  if (path === undefined || path === '') return join(root, '.env')
  return path.startsWith('~') ? join(homedir(), path.slice(1)) : resolve(root, path)
}

function textOf(root: string, env: Environment): string {
  try {
    return readFileSync(pathOf(root, env), 'utf8')
  } catch {
    return ''
  }
}

/** Strapi, too, takes a file that it may not read for none, and so another database for the one that was meant. */
function unreadableFile(root: string, env: Environment): readonly Fault[] {
  try {
    readFileSync(pathOf(root, env))
    return []
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    const where = relative(root, pathOf(root, env))
    return [
      {
        where,
        problem: `cannot be read (${String(code)}), and counts for nothing`,
        remedy: 'let this user read it',
      },
    ]
  }
}

/** What is wrong with the file itself, whatever is asked of it. */
export const faultsOfDotEnv = (root: string, env: Environment): readonly Fault[] => [
  ...unreadableFile(root, env),
  ...unclosedQuotes(root, env),
]

/** The variables of a project's `.env`, or of the file that stands for it; none where it cannot be read. */
export const readDotEnv = (root: string, env: Environment): Environment => parse(textOf(root, env))

const opening = /^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*|:\s+)(["'`])(.*)$/

/** Values that keep the quote before them, as none stands behind them. Nothing of the values is told. */
function unclosedQuotes(root: string, env: Environment): readonly Fault[] {
  const text = textOf(root, env)
  const read = parse(text)
  const file = relative(root, pathOf(root, env))
  return text.split(/\r\n?|\n/).flatMap((line, at): readonly Fault[] => {
    const [, name = '', quote = '', rest = ''] = opening.exec(line) ?? []
    // A value may go on behind the end of its line.
    if (quote === '' || rest.includes(quote) || read[name]?.startsWith(quote) !== true) return []
    const where = `${file}, line ${String(at + 1)}`
    return [{ where, problem: `the quote before the value of ${name} is not closed`, remedy: 'close it' }]
  })
}

/** What is there and empty counts for Strapi, too: the file of the database is then the folder that it should lie in. */
export function emptyFilename(root: string, env: Environment): readonly Fault[] {
  const name = 'DATABASE_FILENAME'
  const problem = `${name} is empty, and so is the name of the database's file`
  const remedy = 'take the line out, or name the file'
  if (env[name] !== undefined) return env[name] === '' ? [{ where: 'environment', problem, remedy }] : []
  return readDotEnv(root, env)[name] === ''
    ? [{ where: relative(root, pathOf(root, env)), problem, remedy }]
    : []
}
