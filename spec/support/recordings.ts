import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseName } from './servers'

const root = join(__dirname, '..', 'corpus', 'recordings')

/** What Strapi 5 answered on one database, with the database it answered from. */
export interface Recording {
  readonly folder: string
  readonly dump: string
  readonly contentTypes: string
}

const folders: Readonly<Record<DatabaseName, string>> = {
  sqlite: 'magazine',
  mariadb: 'magazine-mariadb',
  mysql: 'magazine-mysql',
  postgres: 'magazine-postgres',
}

export function recordingOf(name: DatabaseName): Recording {
  const folder = join(root, folders[name])
  const dump = ['data.db.gz', 'dump.sql.gz']
    .map((file) => join(folder, file))
    .find((file) => existsSync(file))
  if (dump === undefined) throw new Error(`${folder} holds no database`)
  return { folder, dump, contentTypes: join(root, 'magazine', 'content-types') }
}
