import knex from 'knex'
import { all, joined, notationOf, sql, write } from '../../lib/compile/sql'

const numbered = notationOf(knex({ client: 'pg' }), (number) => `$${String(number)}`)
const marked = notationOf(knex({ client: 'mysql2' }), () => '?')

test('pieces stand where the text has places for them, and their values in the order of the text', () => {
  const inner = sql('?? > ?', ['t1.views', 5])
  const whole = sql('select ?? from ?? where ? and ?? = ?', ['t1.id', 'articles', inner, 't1.slug', 'a'])
  expect(write(whole, numbered)).toEqual({
    text: 'select "t1"."id" from "articles" where "t1"."views" > $1 and "t1"."slug" = $2',
    bindings: [5, 'a'],
  })
  expect(write(whole, marked).text).toBe(
    'select `t1`.`id` from `articles` where `t1`.`views` > ? and `t1`.`slug` = ?',
  )
})

test('a value that looks like SQL, or like a place, is a binding like any other', () => {
  const values = ['?', '??', `' or 1 = 1 --`, '$1']
  const made = write(
    joined(
      values.map((value) => sql('? = ?', [sql('??', ['a']), value])),
      ' or ',
    ),
    numbered,
  )
  expect(made).toEqual({ text: '"a" = $1 or "a" = $2 or "a" = $3 or "a" = $4', bindings: values })
})

test.each([
  ['numbered', numbered, '"a""b"'],
  ['marked', marked, '`a"b`'],
])('quotes in a name end no name: %s', (_, notation, text) => {
  expect(write(sql('??', ['a"b']), notation).text).toBe(text)
})

test('a backtick in a name ends no name', () => {
  expect(write(sql('??', ['a`b']), marked).text).toBe('`a``b`')
})

test('no condition is one that always holds', () => {
  expect(write(all([]), numbered)).toEqual({ text: '1 = 1', bindings: [] })
})

test.each([
  ['more places than parts', '? = ?', [1]],
  ['more parts than places', '?', [1, 2]],
])('%s are a mistake in the code', (what, text, parts) => {
  expect(() => write(sql(text, parts), numbered)).toThrow(what)
})
