import type { Request } from 'express'

export const explorerPath = '/explorer'

/** Asks for `meta.explain` where it is not the explorer that asks. */
const header = 'X-Explain'

/** Strapi's answers have no such part, so that only who shows it is told. */
export const wantsExplanation = (req: Request): boolean =>
  req.originalUrl.startsWith(`${explorerPath}/`) || req.get(header) !== undefined
