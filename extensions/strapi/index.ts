export { loadProjectCode } from './load-project-code'
export { DatabaseUnknown } from './project-database'
export { strapi5, type Strapi5Options } from './strapi5'
export { strapiProject, type StrapiProject, type StrapiProjectGiven } from './strapi-project'
