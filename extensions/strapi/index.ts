export { DatabaseUnknown } from './project-database'
export { strapiProject, type StrapiProject, type StrapiProjectGiven } from './strapi-project'
