// Comes in: the folders of a Strapi project. Goes out: what stands in its code, as far as that can be told by reading
// it. Refused: a database that cannot be told; whatever else cannot be is said by name. Nothing of the project is run.
export { DatabaseUntold, handOver } from './project/database-untold'
export { emptyFilename, faultsOfDotEnv } from './project/dot-env'
export { describeCode } from './project/describe-code'
export { type ProjectCode, readProjectCode, type TypeCode } from './project/project-code'
export { strapiProject, type StrapiProject, type StrapiProjectGiven } from './project/strapi-project'
