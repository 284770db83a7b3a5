import type { Database } from '../database'

/** Where Strapi keeps its settings, as JSON text. */
export const settingsTable = 'strapi_core_store_settings'
export const defaultLocaleKey = 'plugin_i18n_default_locale'

/** Undefined for what is no JSON. A driver may have read it already. */
export function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

export async function readSetting({ knex }: Database, key: string): Promise<unknown> {
  const rows: readonly { readonly value: unknown }[] = await knex(settingsTable)
    .select('value')
    .where({ key })
    .limit(1)
  return parsedJson(rows[0]?.value)
}
