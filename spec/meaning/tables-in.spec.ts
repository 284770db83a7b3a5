import { tablesIn } from '../../lib/feed/tables-in'

describe('the tables that a statement reads from', () => {
  it.each([
    [`select "t1"."id" from "articles" as "t1"`, ['articles']],
    [
      `select 1 from "a" as "t1" inner join "b" as "t2" on "t1"."id" = "t2"."id" left join "c" on true`,
      ['a', 'b', 'c'],
    ],
    [
      `select * from (select "x" from "inner" as "t1") as "y" where exists (select 1 from "there")`,
      ['inner', 'there'],
    ],
    [
      `select floor(extract(epoch from "t1"."created_at") * 1000)::bigint from "articles" as "t1"`,
      ['articles'],
    ],
    [`select 1 from "a" where "t1"."x" is distinct from "t2"."x"`, ['a']],
    [`select 1 FROM  "with ""quotes"""`, ['with "quotes"']],
    ['select 1 from `a` as `t1` inner join `b` on true left join `c` on true', ['a', 'b', 'c']],
    ['select straight_join 1 from `a` straight_join `with ``ticks```', ['a', 'with `ticks`']],
    // Taken for a table that nobody knows, so that what is read from it is not kept by what changed.
    [`select 1 from "content"."articles"`, ['content']],
  ])('of %s', (sql, tables) => {
    expect([...tablesIn(sql)]).toEqual(tables)
  })
})
