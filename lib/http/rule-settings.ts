import type { RuleSettings } from '../access'
import type { FilledOptions } from '../config'
import type { DialectName } from '../database'
import type { PlanSettings } from '../plan'
import type { Schema } from '../schema'

/** Which values are compared as JSON. Where no database is known, what one of them can do is let through. */
export function supersetsOn(
  dialect: DialectName | null,
  { textMatching }: Pick<FilledOptions, 'textMatching'>,
): PlanSettings['supersets'] {
  if (textMatching === 'exact' || dialect === 'sqlite') return 'none'
  return dialect === 'postgres' ? 'json' : 'any'
}

/** What rules are read with. */
export function ruleSettings(
  options: Pick<FilledOptions, 'textMatching' | 'strapiArtefacts'>,
  schema: Schema,
  dialect: DialectName | null,
): RuleSettings {
  const { textMatching: matching, strapiArtefacts } = options
  return { schema, matching, strapiArtefacts, supersets: supersetsOn(dialect, options) }
}
