import type { CustomFieldsOption } from '../schema'
import { custom, flag, isTable } from './option'

/** What only the defaults of an extension set. A host chooses the extension. */
export const internalOptions = {
  /** What fields of plugins are kept as, where neither the database nor a list of well-known ones says it. */
  customFields: custom<CustomFieldsOption>({}, isTable, 'is no table of types', {
    values: 'none',
    meaning: 'what custom fields of plugins are kept as',
  }),
  /** The locales of the database are a type, which routes of an extension may serve. */
  localeType: flag(false, { meaning: 'the locales of the database are a type' }),
  /** `Strapi-Response-Format: v4` is heeded: the older form of responses, and entries by their numbers. */
  olderFormat: flag(false, { meaning: 'the older form of responses, on request' }),
  /** Keeps what Strapi's way of loading leaves in its responses; docs/strapi.md lists it. */
  loadingArtefacts: flag(false, {
    changesBodies: true,
    meaning: "keeps what Strapi's way of loading leaves in its responses",
  }),
} as const
