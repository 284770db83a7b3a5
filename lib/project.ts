// In: the folder of a Strapi project. Out: its settings, and the types whose reads run through code of its own. Files of
// `config` run in this process; routes, controllers and services run apart from it, with a stand-in for Strapi.
export { loadProjectCode, type ProjectCode, type TypeCode } from './project/load-project-code'
export { DatabaseUnknown } from './project/project-database'
export { strapiProject, type StrapiProject, type StrapiProjectGiven } from './project/strapi-project'
