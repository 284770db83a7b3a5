import type { Extension } from '../../lib'

/** Makes these attributes private in every type, as `strapi5({ privateAttributes })` does, and changes nothing else. */
export const hiding = (privateAttributes: readonly string[]): Extension => ({
  name: 'hiding',
  defaults: { privateAttributes },
})
