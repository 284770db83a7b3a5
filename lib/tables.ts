// Comes in: a database and a schema. Goes out: tables in Strapi 5's layout, or what differs between the two, and what
// only the database knows. Refused: what more than an addition would be needed for.
export { remedies } from './tables/keeper'
export { checkTables, compareTables } from './tables/check-tables'
export { type NeededType, type TableNeeds, tableNeeds } from './tables/needs'
export { readGrantStatements } from './tables/statements'
export { settleSchema } from './tables/settle-schema'
export { readDefaultLocale, readFacts, type Facts, defaultLocaleKey, settingsTable } from './tables/facts'
export { migrateTables, type MigrateOptions, type Migration } from './tables/migrate'
