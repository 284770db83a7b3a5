import type { TableLayout } from '../lib/tables/table-dialect'
import { entryTable, plainTable } from './layout'

/** The settings hold the default locale. */
export const locales: readonly TableLayout[] = [
  entryTable('i18n_locale', { name: 'string', code: 'string' }),
  plainTable('strapi_core_store_settings', {
    key: 'string',
    value: 'text',
    type: 'string',
    environment: 'string',
    tag: 'string',
  }),
]
