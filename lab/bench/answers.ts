import type { Options } from './options'
import type { Asked } from './requests'
import type { SideName } from './side'
import { isOurs, type Variant } from './sides/variants'

/** What each side can be asked; ours answers everything. */
const partial: Readonly<Record<Exclude<SideName, Variant>, readonly string[]>> = {
  knex: ['q1', 'q2', 'q3', 'q5', 'q6', 'q7', 'none', 'count'],
  limit: ['q1', 'q1n', 'q2', 'q3', 'q3n', 'q3h', 'q4', 'q5', 'q6', 'q7', 'q7s'],
  memory: ['q1', 'q2', 'q3', 'q3h', 'q4', 'q7', 'q7s'],
  http: ['q1', 'q2', 'q3', 'q3h', 'q4', 'q7', 'q7s'],
}

/** Sides that are asked for one by one, and answer whatever they are asked then. */
export const besides: ReadonlySet<string> = new Set(['strapi', 'drizzle', 'objection'])

export const answers = (side: string, { name }: Asked): boolean =>
  besides.has(side) || isOurs(side) || partial[side as Exclude<SideName, Variant>].includes(name)

export function pathsFor(side: string, asked: Asked): readonly string[] {
  if (isOurs(side)) return asked.paths
  if (side !== 'strapi') return [`/${asked.name}`]
  return asked.paths.map((path) => path.replace('/recorded/', '/api/'))
}

export const wanted = ({ requests: names, full }: Options, asked: Asked): boolean =>
  names.length > 0 ? names.includes(asked.name) : full || asked.short
