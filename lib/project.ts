// In: the definitions of a Strapi project. Out: the types whose reads run through code of its own. Routes, controllers and
// services run apart from this process, with a stand-in for Strapi.
export { loadProjectCode, type ProjectCode, type TypeCode } from './project/load-project-code'
export { fileErrorAt, isCompiledProject, moduleLoader, ProjectFileError } from './project/module-loader'
export { placeholder } from './project/strapi-stand-in'
