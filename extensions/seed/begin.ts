import type { Knex } from 'knex'
import type { DialectName } from '../../lib/database'
import type { Schema } from '../../lib/schema'
import { defaultLocaleKey, settingsTable } from '../../lib/tables'
import { type ContentValue, isContentList, type SeedContent } from './content'
import { type Existing, localeTable } from './existing'
import { collectFaults, type Faults } from './faults'
import { makeJoins } from './join'
import { makeRows, documentIdOf } from './rows'
import type { SeedOptions, Seeding } from './seeding'
import { type StoredValue, toStored } from './to-stored'

function nameOf(code: string): string {
  const language = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(code) ?? code
  return `${language} (${code})`
}

function timesOf({ now, dialect }: Seeding): Record<string, StoredValue> {
  const result = toStored(now, 'datetime', dialect)
  const time = 'stored' in result ? result.stored : null
  return { created_at: time, updated_at: time, published_at: time }
}

/** Registers locales that are declared or used, and new to the database. */
export function addLocales(declared: readonly string[], seeding: Seeding): void {
  const { existing, rows } = seeding
  const places = seeding.entries.flatMap((entry) => entry.places)
  const used = places.flatMap(({ context }) => context.locale ?? [])
  // Without localized types there is no such table.
  if (used.length === 0 && !existing.hasTable(localeTable)) return
  const fresh = [...new Set([...declared, ...used])].filter((code) => !existing.locales.includes(code))
  for (const code of fresh) {
    const own = {
      document_id: documentIdOf('plugin::i18n.locale', code),
      code,
      name: nameOf(code),
      locale: null,
    }
    rows.add(localeTable, { ...own, ...timesOf(seeding) })
  }
}

/** Strapi stores the default locale as a setting, in JSON. */
export async function writeDefaultLocale(trx: Knex, declared: readonly string[]): Promise<void> {
  const [code] = declared
  if (code === undefined) return
  const setting = { key: defaultLocaleKey, value: JSON.stringify(code), type: 'string' }
  const changed = await trx(settingsTable).where({ key: defaultLocaleKey }).update(setting)
  if (changed === 0) await trx(settingsTable).insert(setting)
}

/** Strapi's default, used if neither the content nor the database has one. */
const defaultLocale = 'en'

function readDeclaredLocales(content: SeedContent, faults: Faults): readonly string[] {
  const declared: ContentValue = content.$locales
  if (declared === undefined) return []
  const codes = isContentList(declared)
    ? declared.filter((code) => typeof code === 'string' && code !== '')
    : []
  if (isContentList(declared) && codes.length === declared.length && codes.length > 0)
    return codes as string[]
  faults.add('$locales', 'the value must be a list of locale codes that begins with the default locale')
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
