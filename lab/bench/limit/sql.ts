// What the statements by hand have in common.
import type { Statement } from './database'

export const list = (alias: string, columns: string): string =>
  columns
    .split(' ')
    .map((column) => `${alias}.\`${column}\``)
    .join(', ')

export const fileColumns =
  'id document_id name alternative_text caption focal_point width height formats hash ext mime size url preview_url provider provider_metadata'

export function statement(name: string, given: Statement['given'], sql: string): Statement {
  return { name, given, sql, places: sql.split('?').length - 1 }
}
