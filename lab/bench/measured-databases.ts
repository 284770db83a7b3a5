/** The databases that the bench compares with SQL written by hand. */
export const measuredDatabases = ['sqlite', 'mariadb', 'postgres'] as const
export type MeasuredDatabase = (typeof measuredDatabases)[number]

/** The databases that the bench fills. */
export const filledDatabases = ['sqlite', 'mariadb', 'mysql', 'postgres'] as const
export type FilledDatabase = (typeof filledDatabases)[number]

export function measured(name: FilledDatabase): MeasuredDatabase {
  if (name === 'mysql') throw new Error('on MySQL only --dearest and --steps are measured')
  return name
}
