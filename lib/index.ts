export { fromDatabase, strapiAuth, type StrapiAuthOptions } from './access'
export type {
  Action,
  BranchShape,
  CacheOptions,
  CacheStats,
  ContentRouterConfig,
  ContentTypesConfig,
  EventAsker,
  FileUrlFunction,
  Grant,
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
export { ConfigError, DatabaseError, type Fault, SeedError, TablesError } from './errors'
export { contentRouter, type ContentRouter } from './http'
export { strapi5 } from './preset'
export { strapiProject, type StrapiProject, type StrapiProjectGiven } from './project'
export { seed, type SeedContent, type Seeded, type SeededEntry, type SeededRow } from './seed'
export { migrate, type MigrateOptions, type Migration } from './tables'
