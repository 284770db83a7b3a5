export { fromDatabase } from './access'
export type {
  Action,
  ContentRouterConfig,
  ContentTypesConfig,
  Grant,
  Logger,
  PermissionFunction,
  PermissionTable,
  Role,
  RoleFunction,
} from './config'
export { ConfigError, type Fault } from './errors'
export { contentRouter, type ContentRouter } from './http'
export { strapi5 } from './preset'
export { migrate, type MigrateOptions, type Migration } from './tables'
