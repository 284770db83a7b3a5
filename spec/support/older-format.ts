import type { Extension } from '../../lib'

/** Requests may choose the older form of responses. All else is as specified. */
export const olderFormat: Extension = { name: 'older format', defaults: { olderFormat: true } }
