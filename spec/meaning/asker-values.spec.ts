import { askerValueOf } from '../../lib/plan'
import type { ColumnType } from '../../lib/schema'

const valueOf = (type: ColumnType, text: string): unknown => askerValueOf({ asker: 'it', type }, text)

describe('a value of whoever asks', () => {
  it.each<[ColumnType, string, unknown]>([
    ['id', '7', 7],
    ['integer', '-2147483648', -2_147_483_648],
    ['biginteger', '9223372036854775807', 9_223_372_036_854_775_807n],
    ['float', '-1.5', -1.5],
    ['decimal', '0.10', 0.1],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['date', '2024-02-29', '2024-02-29'],
    ['string', ' no trim', ' no trim'],
    ['string', '😀', '😀'],
  ])('is of the kind that it is compared with: %s %j', (type, text, value) => {
    expect(valueOf(type, text)).toBe(value)
  })

  it.each<[ColumnType, readonly string[]]>([
    ['id', ['', 'seven', '7.5', '1e3', ' 7', '2147483648']],
    ['integer', ['', 'seven', '7 ', '0x7', 'NaN', '-2147483649']],
    ['biginteger', ['', '1.0', '9223372036854775808', '99999999999999999999999']],
    ['float', ['', ' ', 'seven', 'NaN', 'Infinity', '1e999', '1,5']],
    ['decimal', ['', 'seven', '-Infinity']],
    ['boolean', ['', 'no', 'TRUE', '1', '0', 'null']],
    ['date', ['', '2023-02-29', 'today']],
    ['time', ['', '25:00', 'noon']],
    ['datetime', ['', '2024-13-01T00:00:00.000Z', 'now']],
    ['timestamp', ['', 'now']],
    ['string', ['a\0b', 'a\ud800', '\udc00']],
    ['json', ['{}', '1']],
  ])('is none where it is of another: %s %j', (type, texts) => {
    expect(texts.map((text) => [text, valueOf(type, text)])).toEqual(texts.map((text) => [text, undefined]))
  })
})
