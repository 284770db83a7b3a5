export { fromDatabase, type FromDatabaseOptions, strapiAuth, type StrapiAuthOptions } from './access'
export type {
  Action,
  AskerRoles,
  AskerValue,
  BranchShape,
  CacheOptions,
  CacheStats,
  ContentRouterConfig,
  ContentTypesConfig,
  EventAsker,
  FileUrlFunction,
  Grant,
  Granted,
  LevelShape,
  Logger,
  Outcome,
  PaginationOptions,
  PermissionFunction,
  PermissionTable,
  PlanShape,
  ProjectCodeOptions,
  Purpose,
  QueryFunction,
  QueryOptions,
  QueueOptions,
  ReadAction,
  RequestEvent,
  RequestHook,
  RequestStart,
  RequestTrace,
  Role,
  RoleLimits,
  RoleFunction,
  Rule,
  RulesOfRoles,
  ShownFile,
  Stage,
  Stages,
  StatementEvent,
  StatementHook,
  StatementResult,
  StrapiRoles,
  Tracing,
  TypeDefaults,
  TypeHeaders,
} from './config'
export {
  ConfigError,
  DatabaseError,
  type Fault,
  RequestError as ContentError,
  SeedError,
  TablesError,
} from './errors'
export type { ApiDocument } from './describe'
export { contentRouter, type ContentRouter, type InsideOptions, type OpenApiOptions } from './http'
export { strapi5 } from './preset'
export { strapiProject, type StrapiProject, type StrapiProjectGiven } from './project'
export { seed, type SeedContent, type Seeded, type SeededEntry, type SeededRow } from './seed'
export { migrate, type MigrateOptions, type Migration } from './tables'
export type {
  ContentEntry,
  ContentFilters,
  ContentPopulate,
  ContentQuery,
  ContentReader,
  EntryQuery,
} from './typed'
