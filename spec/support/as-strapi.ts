import type { Extension } from '../../lib'

/** Requests may choose the older form of responses. All else is as specified. */
export const olderFormat: Extension = { name: 'older format', defaults: { olderFormat: true } }

/** The defaults of `strapi5()`, as plain data. */
export const asStrapi: Extension = {
  name: 'as Strapi',
  defaults: {
    drafts: 'open',
    localizations: 'flat',
    unlistedZoneElements: 'omit',
    textMatching: 'database',
    strictParameters: false,
    olderFormat: true,
    loadingArtefacts: true,
  },
}
