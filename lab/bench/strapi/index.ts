// `--strapi`: `strapi5()` beside the real thing, on a database that both read.
import { join } from 'node:path'
import type { Knex } from 'knex'
import { measured, type MeasuredDatabase } from '../measured-databases'
import { benchFolder, benchTypes, type Prepared, type Twin } from '../data/prepare'
import { installIn } from '../install'
import { type RunningSide, startProcess } from '../measure/running-side'
import type { Source } from '../requests'
import { writeApp } from './app'

export const strapiVersion = '5.54.0'
const packages = [
  `@strapi/strapi@${strapiVersion}`,
  `@strapi/plugin-users-permissions@${strapiVersion}`,
  'better-sqlite3@12',
  'mysql2@3',
  'pg@8',
  'react@18',
  'react-dom@18',
  'react-router-dom@6',
  'styled-components@6',
]

export const strapiFolder = join(benchFolder, 'strapi')

export const installStrapi = (): void => {
  installIn(strapiFolder, packages)
}

export interface StrapiSides {
  readonly bench: RunningSide
  readonly recorded: RunningSide
}

function start(
  name: MeasuredDatabase,
  source: Source | 'busy',
  types: string,
  config: Knex.Config,
): Promise<RunningSide> {
  const folder = join(strapiFolder, `${source}-${name}`)
  writeApp(folder, name, types, config)
  const typescript = ['--require', join(__dirname, '..', 'typescript.cjs')]
  return startProcess('strapi', join(__dirname, 'serve.ts'), { folder }, typescript)
}

/** Strapi makes its tables, they are filled, and it starts again. */
export async function startStrapi(prepared: Prepared): Promise<StrapiSides & { readonly twin: Twin }> {
  installStrapi()
  const name = measured(prepared.name)
  const made = await prepared.twin(async (config) => {
    const first = await start(name, 'bench', benchTypes, config)
    await first.stop()
  })
  const { bench, recorded, types } = made
  return {
    bench: await start(name, 'bench', types.bench, bench),
    recorded: await start(name, 'recorded', types.recorded, recorded),
    twin: made,
  }
}

/** On a database of the caller's own. */
export function startStrapiAt(
  name: MeasuredDatabase,
  types: string,
  config: Knex.Config,
): Promise<RunningSide> {
  installStrapi()
  return start(name, 'busy', types, config)
}
