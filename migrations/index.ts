// Comes in: nothing. Goes out: the support tables, which follow from no definition, as Strapi 5 lays them out.
export { locales } from './locales'
export { media } from './media'
export { roles } from './roles'
