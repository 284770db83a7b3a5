import { Sql, sql } from './sql'

const begin = /(^|\()select /

/**
 * A condition of an outer join, with every set in it kept out of that join: MySQL 9.7 forgets what is asked of all but the
 * first table of a set that it makes part of one.
 */
export function leftApart({ text, parts }: Sql): Sql {
  if (begin.test(text)) return sql(text.replace(begin, '$1select /*+ no_semijoin() */ '), parts)
  return sql(
    text,
    parts.map((part) => (part instanceof Sql ? leftApart(part) : part)),
  )
}
