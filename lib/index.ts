export { fromDatabase, strapiAuth, type StrapiAuthOptions } from './access'
export type {
  Action,
  ContentRouterConfig,
  ContentTypesConfig,
  Grant,
  Logger,
  PermissionFunction,
  PermissionTable,
  Role,
  RoleLimits,
  RoleFunction,
  StrapiRoles,
} from './config'
export { ConfigError, DatabaseError, type Fault, SeedError } from './errors'
export { contentRouter, type ContentRouter } from './http'
export { strapi5 } from './preset'
export { seed, type SeedContent, type Seeded, type SeededEntry, type SeededRow } from './seed'
export { migrate, type MigrateOptions, type Migration } from './tables'
