import type { DialectName } from '../../lib/database'
import type { Schema } from '../../lib/schema'
import { type ContentValue, isContentList, type SeedContent } from './content'
import type { Existing } from './existing'
import { collectFaults, type Faults } from './faults'
import { makeJoins } from './join'
import { makeRows } from './rows'
import type { SeedOptions, Seeding } from './seeding'

/** Where neither the content nor the database says otherwise, as in Strapi. */
const defaultLocale = 'en'

function readDeclaredLocales(content: SeedContent, faults: Faults): readonly string[] {
  const declared: ContentValue = content.$locales
  if (declared === undefined) return []
  const codes = isContentList(declared)
    ? declared.filter((code) => typeof code === 'string' && code !== '')
    : []
  if (isContentList(declared) && codes.length === declared.length && codes.length > 0)
    return codes as string[]
  faults.add('$locales', 'must be a list of locale codes, the default locale first')
  return []
}

export interface Begun {
  readonly seeding: Seeding
  readonly declared: readonly string[]
}

export function begin(
  schema: Schema,
  dialect: DialectName,
  existing: Existing,
  content: SeedContent,
  options: SeedOptions,
): Begun {
  const faults = collectFaults()
  const declared = readDeclaredLocales(content, faults)
  const rows = makeRows(existing.highestIds)
  const seeding: Seeding = {
    schema,
    dialect,
    existing,
    options,
    removals: [],
    copies: [],
    sought: new Set(),
    faults,
    rows,
    now: new Date(),
    locales: declared.length === 0 ? [] : [...declared, ...existing.locales],
    defaultLocale: declared[0] ?? existing.defaultLocale ?? defaultLocale,
    joins: makeJoins(schema, rows),
    entries: [],
    entriesByRef: new Map(),
    inlineFiles: new Map(),
  }
  return { seeding, declared }
}
