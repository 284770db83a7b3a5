export {
  fromDatabase,
  isFromDatabase,
  type FromDatabaseOptions,
  type StrapiPermissions,
} from './from-database'
export { loadProjectCode } from './load-project-code'
export { DatabaseUnknown } from './project-database'
export { isStrapiAuth, type StrapiAuth, strapiAuth, type StrapiAuthOptions } from './strapi-auth'
export { strapi5, type Strapi5Options } from './strapi5'
export { strapiProject, type StrapiProject, type StrapiProjectGiven } from './strapi-project'
