import fc from 'fast-check'
import type { Form } from '../../lib/compile'
import { valueMaker } from '../../lib/shape/value-maker'
import { valueWriter } from '../../lib/shape/value-writer'
import { firstSeed, runs } from '../support/property-runs'

const last = 8.64e15
const instants = fc.oneof(
  fc.integer({ min: -last, max: last }),
  fc.integer({ min: 1_500_000_000_000, max: 1_500_000_200_000 }),
  fc.double({ min: -100_000, max: 100_000, noNaN: true }),
  fc.constantFrom(-last, last, 0, -1, 253_402_300_800_000),
)

describe('an instant', () => {
  it('is written as Date writes it, whichever was written before', () => {
    const write = valueWriter('milliseconds', 'stored')
    fc.assert(
      fc.property(fc.array(instants), (all) => {
        for (const one of all) expect(write(one)).toBe(JSON.stringify(new Date(one)))
      }),
      { seed: firstSeed, numRuns: runs(100) },
    )
  })

  it('is null where Date has no such day, also behind one that it has', () => {
    const write = valueWriter('milliseconds', 'stored')
    for (const none of [last + 1, -last - 1, NaN, Infinity, 'yesterday']) {
      write(Math.sign(Number(none)) * last)
      expect(write(none)).toBe('null')
    }
  })

  it('is written of more days than are remembered', () => {
    const write = valueWriter('milliseconds', 'stored')
    const days = Array.from({ length: 10_000 }, (_, day) => day * 86_400_000 + 1)
    expect(days.map(write)).toEqual(days.map((day) => JSON.stringify(new Date(day))))
  })
})

describe('a text', () => {
  it('is written as JSON has it, whatever is in it', () => {
    const write = valueWriter('text', 'stored')
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.string({ minLength: 40, maxLength: 60 }),
    )
    const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes))
    fc.assert(
      fc.property(fc.oneof(texts, units), (text) => {
        expect(write(text)).toBe(JSON.stringify(text))
      }),
      { seed: firstSeed, numRuns: runs(100) },
    )
  })

  it('has every character escaped that must be, alone and at the end', () => {
    const write = valueWriter('text', 'stored')
    for (let code = 0; code < 0x10000; code += 1) {
      const text = String.fromCharCode(code)
      if (write(text) !== JSON.stringify(text) || write(`a${text}`) !== JSON.stringify(`a${text}`))
        throw new Error(`the character ${String(code)} is written otherwise`)
    }
    expect(write('\n')).toBe('"\\n"')
  })
})

describe('a value that is made for who reads in the process', () => {
  const dates = ['2012-01-13 12:12:36.852000', '2012-01-13 12:12:36', '13:59:01.5', '2012-01-13']
  const jsons = [
    '{"a":[1,"ü\\n"]}',
    '[]',
    '"text"',
    '"\\"1\\""',
    'null',
    '-0',
    '1e400',
    '\u0001{',
    'no JSON',
    '',
  ]
  const numbers = [0, -0, 1, 0.1, 2 ** 53, 2 ** 60, 1e21, 5e-324, NaN, Infinity, '14.00', '007', 'x']
  const others = ['a "quoted" \ud800 text', 'f', 't', '1', true, { a: [null] }, new Date(0)]
  const forms: Readonly<Record<Form, readonly unknown[]>> = {
    ...{
      text: [...others, ...jsons, ...numbers],
      plain: ['123', ...dates],
      day: [...dates, '2024-00-00', 'x'],
    },
    ...{
      number: numbers.slice(0, 10),
      numeric: numbers,
      storedNumber: [...numbers, ...jsons],
      stamp: numbers,
    },
    ...{ bit: [0, 1, '0', '1', true], storedBit: [0, 1, '0', 'no'], letter: ['t', 'f'] },
    ...{
      milliseconds: numbers,
      instant: dates.slice(0, 2),
      storedInstant: [...dates.slice(0, 2), '2024-02-31 00:00:00'],
      clock: ['13:59:01.5', '13:59:01'],
    },
    ...{ json: jsons.slice(0, 6), typedJson: jsons.slice(0, 6), storedJson: [...jsons, { a: 1 }] },
    ...{ checkedJson: jsons, markedJson: jsons.slice(0, 6).concat('\u0001no JSON') },
  }
  const cases = Object.entries(forms).flatMap(([form, values]) =>
    (['stored', 'strapi'] as const).map((reading) => [form as Form, reading, values] as const),
  )

  it.each(cases)('is what the text of a %s, as it is %s, is parsed to', (form, reading, values) => {
    const write = valueWriter(form, reading)
    const make = valueMaker(form, reading)
    for (const value of values) expect(make(value)).toEqual(JSON.parse(write(value)))
  })
})

describe('a flag that SQLite holds as a text', () => {
  it.each([
    ['strapi', { '1': 'true', '0': 'false', true: 'null', no: 'null' }],
    ['stored', { '1': '"1"', '0': '"0"', true: '"true"', no: '"no"' }],
  ] as const)('is written as it is %s', (reading, written) => {
    const write = valueWriter('storedBit', reading)
    for (const [text, expected] of Object.entries(written))
      expect([text, write(text)]).toEqual([text, expected])
  })
})
