import type { RuleSettings } from '../access'
import type { Dialect } from '../sql'
import type { FilledOptions } from '../config'
import type { PlanSettings } from '../plan'
import type { Schema } from '../schema'

/** How JSON is compared. Where no database is known, what one of them can do is let through. */
export function jsonOn(
  dialect: Dialect | null,
  { textMatching }: Pick<FilledOptions, 'textMatching'>,
): Pick<PlanSettings, 'supersets' | 'typedJson'> {
  const typedJson = dialect?.isStrictlyTyped ?? false
  if (textMatching === 'exact' || dialect?.superset === null) return { supersets: 'none', typedJson }
  return { supersets: typedJson ? 'json' : 'any', typedJson }
}

/** What rules are read with. */
export function ruleSettings(
  options: Pick<FilledOptions, 'textMatching' | 'loadingArtefacts'>,
  schema: Schema,
  dialect: Dialect | null,
): RuleSettings {
  const { textMatching: matching, loadingArtefacts } = options
  return { schema, matching, loadingArtefacts, ...jsonOn(dialect, options) }
}
