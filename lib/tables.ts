// Input: a database and a schema. Output: tables in Strapi 5's layout, or their differences, and the facts that only
// the database has. Rejected: differences that no addition fixes.
export { remedies } from './tables/table-maker'
export { checkTables, compareTables } from './tables/check-tables'
export { type NeededType, type TableNeeds, tableNeeds, neededTables, wantedColumns } from './tables/needs'
export { settleSchema } from './tables/facts'
export { readDefaultLocale, readFacts, type Facts, defaultLocaleKey, settingsTable } from './tables/facts'
export { migrateTables, type MigrateOptions, type Migration } from './tables/migrate'
export { indexName } from './tables/indexes'
export { type ActualTables, readTables, rowsOf } from './tables/read-tables'
export { createIndex, quoteName, tablesOfPostgres } from './tables/table-dialect'
