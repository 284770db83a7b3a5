import type { Knex } from 'knex'
import { defaultLocaleKey, settingsTable } from '../../lib/tables'
import { documentIdOf } from './document-id'
import { localeTable } from './existing'
import type { Seeding } from './seeding'
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

/** Registers the locales that are declared or used and that the database does not know yet. */
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

/** The default locale is a setting of Strapi's, kept as JSON. */
export async function writeDefaultLocale(trx: Knex, declared: readonly string[]): Promise<void> {
  const [code] = declared
  if (code === undefined) return
  const setting = { key: defaultLocaleKey, value: JSON.stringify(code), type: 'string' }
  const changed = await trx(settingsTable).where({ key: defaultLocaleKey }).update(setting)
  if (changed === 0) await trx(settingsTable).insert(setting)
}
