import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type * as Parser from 'dotenv'

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

/** The variables of a project's `.env`, or of the file that stands for it; none where it cannot be read. */
export function readDotEnv(root: string, env: Environment): Environment {
  let text: string
  try {
    text = readFileSync(pathOf(root, env), 'utf8')
  } catch {
    return {}
  }
  return parse(text)
}
