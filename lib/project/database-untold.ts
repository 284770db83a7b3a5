import { ConfigError } from '../errors'

/** What is to be done where only running the project would tell. */
export const handOver = 'hand it over: strapiProject(folder, { database })'

/** Where the database of a project is could not be told, for these faults. */
export class DatabaseUntold extends ConfigError {}
