import type { CoreConfig } from './config'

/** Answers as Strapi 5 does wherever the specification would have it otherwise. */
export const strapi5 = {
  drafts: 'open',
  localizations: 'flat',
  unlistedZoneElements: 'omit',
  textMatching: 'database',
  strapiArtefacts: true,
  strictParameters: false,
  strapiRoutes: true,
} as const satisfies Partial<CoreConfig>
