import type { Request } from 'express'

export const explorerPath = '/explorer'

/** Strapi's answers have no `meta.explain`, so that only who asks for it is told: as the explorer does on demand. */
export const wantsExplanation = (req: Request): boolean => req.get('X-Explain') !== undefined
