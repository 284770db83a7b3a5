import { type Sql, sql } from './sql'

/**
 * As long as a text that is sorted: what is longer stands among its like as an empty one would. MySQL alone reads what is in these
 * comments; MariaDB keeps JSON as text, sorts by the beginning of it, and has no such cast. No function that reads JSON may see
 * it here, as one that is kept as text may be none, and the statement would fail.
 */
export function sortedJson(json: Sql): Sql {
  const short = `case left(?, 1) when '[' then json_array() when '"' then cast(json_quote(mid(?, 2, 250)) as json) else json_object() end`
  return sql(`/*!80000 case when length(?) > 1024 then ${short} else */ ? /*!80000 end */`, [
    json,
    json,
    json,
    json,
  ])
}
