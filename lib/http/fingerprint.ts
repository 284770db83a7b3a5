import { bodyChanging } from '../config'
import type { DialectName } from '../database'
import type { Settings } from './settings'
import { version } from './version'

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Map ? [...(value as Map<unknown, unknown>)] : value
}

/** Equal for routers that answer alike from the same rows: in every process of a cluster, and after a restart. */
export function fingerprintOf(settings: Settings, dialect: DialectName): string {
  const { schema, queries, defaults } = settings
  return JSON.stringify(
    [version, dialect, [...schema.models.values()], bodyChanging(settings), queries, defaults],
    plain,
  )
}
