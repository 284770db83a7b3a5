import type { Level } from '../plan'
import { column, type SqlScope } from './sql-scope'
import { anyOf, type Sql, sql } from './sql'
import { where } from './where'

/** Which columns of a table hold links, and the branches that they belong to by the value of its `field` column. */
interface ReadLinks {
  readonly ours: string
  readonly theirs: string
  readonly type: string | null
  readonly branches: ReadonlyMap<string | null, number>
}

/** Of which rows of a table, named by a column, some are looked up by their ids. */
interface LookedUp {
  readonly key: string
  readonly level: Level<never>
  readonly condition: Level<never>['where']
}

function meets(scope: SqlScope, { key, level: { model }, condition }: LookedUp): Sql {
  const alias = scope.alias()
  const met = where(scope, { alias, model }, condition)
  return sql('exists (select 1 from ?? as ?? where ?? = ?? and ?)', [
    ...[model.table, alias, column(alias, 'id'), key, met],
  ])
}

const isOtherField = (alias: string, value: string): Sql => sql('?? <> ?', [column(alias, 'field'), value])

/**
 * Where a rule hides what a link leads to, the link is left out as it is read: nothing bounds how many there are of those, which
 * would be held in memory. The same holds of links of rows that do not show them.
 */
export function seenLinks(
  scope: SqlScope,
  alias: string,
  { branches, partly, ...owner }: Level<never>,
  reading: ReadLinks,
): readonly Sql[] {
  return [...reading.branches].flatMap(([field, index]) => {
    const branch = branches[index]
    if (branch === undefined) return []
    const isOther = field === null ? [] : [isOtherField(alias, field)]
    const ofTargets = [...branch.targets].flatMap(([uid, level]): Sql[] => {
      if (!level.isRuled) return []
      const { type, theirs } = reading
      const ofOther = type === null ? [] : [sql('?? <> ?', [column(alias, type), uid])]
      const seen = { key: column(alias, theirs), level, condition: level.where }
      return [anyOf([...isOther, ...ofOther, meets(scope, seen)])]
    })
    const shown = partly.find(({ shownIn }) => shownIn === branch.field.shownIn)
    if (shown === undefined) return ofTargets
    const showing = {
      ...{ key: column(alias, reading.ours), condition: shown.where },
      level: { ...owner, branches, partly },
    }
    return [...ofTargets, anyOf([...isOther, meets(scope, showing)])]
  })
}
