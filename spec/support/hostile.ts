/** Never part of what anybody stored or asked for: where it turns up, a client's text went. */
export const marker = 'zq8x'

/** Ends of texts and names, in whatever a text could be taken for on its way: SQL, a pattern, a template, a path. */
const endings: readonly string[] = [
  ...[
    `'`,
    `"`,
    '`',
    `\\`,
    `\\'`,
    `''`,
    `"."`,
    '`.`',
    `';--`,
    `"; select 1`,
    `') or ('1'='1`,
    ` or 1=1`,
    `/*`,
  ],
  ...[
    '?',
    '??',
    ':id',
    ':id:',
    '$1',
    '@x',
    '{}',
    '%',
    '_',
    '%s',
    '#',
    '\n',
    '\r\n',
    '\t',
    '\u0000',
    '\u001a',
  ],
  ...[
    ' as t1',
    '.id',
    '.*',
    ' desc',
    '(select 1)',
    '->>$.a',
    '$.a[*]',
    '[0]',
    '..',
    '\u2028',
    '\u202e',
    '💥',
    'ﬀ',
  ],
]

export const hostile: readonly string[] = endings.flatMap((ending) => [marker + ending, ending + marker])

/** Names that every object has, or that make one something else. */
export const inherited: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'constructor][prototype',
  '__proto__][polluted',
]

/** What percent signs can say that is no text at all. */
export const undecodable: readonly string[] = [
  '%ED%A0%80',
  '%ED%BF%BF%ED%A0%80',
  '%FF%FE',
  '%C3%28',
  '%',
  '%u0027',
  '%0',
]
