import type { ContentRouterConfig } from '../../lib'
import { askerValueOf } from '../../lib/plan'
import type { ColumnType } from '../../lib/schema'
import { onSqlite } from '../support/databases'
import { collection, integer, text } from '../support/library'
import { stocked } from '../support/served'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const samples = [
  collection('sample', {
    label: text,
    word: text,
    essay: { type: 'text' },
    count: integer,
    big: { type: 'biginteger' },
    ratio: { type: 'float' },
    price: { type: 'decimal' },
    flag: { type: 'boolean' },
    day: { type: 'date' },
    hour: { type: 'time' },
    moment: { type: 'datetime' },
    data: { type: 'json' },
    hidden: { type: 'string', private: true },
  }),
] as unknown as Definitions

/** Words that collations take for equal, and characters of patterns. */
const words = {
  plain: 'cafe',
  accent: 'café',
  capital: 'Cafe',
  shouted: 'CAFÉ',
  blank: 'cafe ',
  greek: 'ΟΔΟΣ',
  greekSmall: 'οδος',
  russian: 'Дом',
  russianSmall: 'дом',
  percent: '50% off',
  percentless: '50x off',
  underscore: 'a_b',
  underscoreless: 'axb',
  backslash: 'a\\b',
  quote: "o'clock",
  bang: 'a!b',
  owl: 'the 🦉 hoots',
  empty: '',
}

const typed = [
  {
    ...{ label: 'one', count: -5, big: '9007199254740993', ratio: 0.5, price: 14, flag: true },
    ...{ day: '2024-01-31', hour: '09:30:00', moment: '2024-01-31T23:30:00.250Z', data: { a: 1 } },
  },
  {
    ...{ label: 'two', count: 0, big: '-9223372036854775808', ratio: 2.25, price: 14.01, flag: false },
    ...{ day: '2024-02-01', hour: '17:00:00', moment: '2024-02-01T00:30:00.000Z' },
  },
  { label: 'three', count: 100 },
]

onSqlite((database) => {
  describe('filters on text', () => {
    const { serve } = stocked(database, samples, {
      sample: [
        ...Object.entries(words).map(([label, word]) => ({ label, word, essay: word })),
        { label: 'missing', hidden: 'x' },
      ],
    })
    const found = (operator: string, value: string, attribute = 'word'): Promise<unknown[]> =>
      serve().values(
        `samples?filters[${attribute}][${operator}]=${encodeURIComponent(value)}&fields=label&pagination[pageSize]=100`,
        'label',
      )
    const all = Object.keys(words)
    const without = (...labels: string[]): string[] => all.filter((label) => !labels.includes(label))

    it.each(Object.entries(words))('match the exact value only: %s', async (label, word) => {
      expect(await found('$eq', word)).toEqual([label])
      expect(await found('$in', word)).toEqual([label])
      expect(await found('$ne', word)).toEqual(without(label))
      expect(await found('$notIn', word)).toEqual(without(label))
    })

    it.each([
      ['$eqi', 'CAFE', ['plain', 'capital']],
      ['$eqi', 'cafÉ', ['accent', 'shouted']],
      ['$eqi', 'οδοσ', ['greek', 'greekSmall']],
      ['$eqi', 'ДОМ', ['russian', 'russianSmall']],
      ['$nei', 'CAFE', without('plain', 'capital')],
      ['$nei', 'ДОМ', without('russian', 'russianSmall')],
      ['$contains', 'af', ['plain', 'accent', 'capital', 'blank']],
      ['$contains', 'AF', ['shouted']],
      ['$contains', 'é', ['accent']],
      ['$contains', 'ом', ['russian', 'russianSmall']],
      ['$contains', 'д', ['russianSmall']],
      ['$contains', '🦉', ['owl']],
      ['$contains', '', all],
      ['$notContains', 'af', without('plain', 'accent', 'capital', 'blank')],
      ['$notContains', 'AF', without('shouted')],
      ['$containsi', 'AF', ['plain', 'accent', 'capital', 'shouted', 'blank']],
      ['$containsi', 'FÉ', ['accent', 'shouted']],
      ['$containsi', 'Ом', ['russian', 'russianSmall']],
      ['$containsi', 'ΔΟ', ['greek', 'greekSmall']],
      ['$notContainsi', 'AF', without('plain', 'accent', 'capital', 'shouted', 'blank')],
      ['$notContainsi', 'Д', without('russian', 'russianSmall')],
      ['$startsWith', 'caf', ['plain', 'accent', 'blank']],
      ['$startsWith', 'Д', ['russian']],
      ['$startsWithi', 'caf', ['plain', 'accent', 'capital', 'shouted', 'blank']],
      ['$startsWithi', 'Д', ['russian', 'russianSmall']],
      ['$endsWith', 'fe', ['plain', 'capital']],
      ['$endsWith', 'É', ['shouted']],
      ['$endsWithi', 'É', ['accent', 'shouted']],
      ['$endsWithi', 'FE ', ['blank']],
      ['$lt', '50', ['empty']],
      ['$lte', '50% off', ['percent', 'empty']],
      ['$gt', 'the', ['greek', 'greekSmall', 'russian', 'russianSmall', 'owl']],
      ['$gte', 'дом', ['russianSmall']],
    ])('compare code points: %s %s', async (operator, value, labels) => {
      expect(await found(operator, value)).toEqual(labels)
    })

    it.each([
      ['$contains', '%', ['percent']],
      ['$contains', '0% ', ['percent']],
      ['$contains', '_', ['underscore']],
      ['$contains', '\\', ['backslash']],
      ['$contains', '!', ['bang']],
      ['$contains', "'", ['quote']],
      ['$containsi', '%', ['percent']],
      ['$containsi', 'A_B', ['underscore']],
      ['$containsi', 'A\\B', ['backslash']],
      ['$startsWith', 'a_', ['underscore']],
      ['$startsWith', '%', []],
      ['$startsWithi', 'A\\', ['backslash']],
      ['$endsWith', '_b', ['underscore']],
      ['$endsWith', '\\b', ['backslash']],
      ['$endsWithi', '_B', ['underscore']],
      ['$notContains', '%', without('percent')],
      ['$notContainsi', '_', without('underscore')],
      ['$eqi', 'A_B', ['underscore']],
    ])('take pattern characters literally: %s %s', async (operator, value, labels) => {
      expect(await found(operator, value)).toEqual(labels)
      expect(await found(operator, value, 'essay')).toEqual(labels)
    })

    it.each([
      ['B', 'b'],
      ['b', 'B'],
      ['a', 'b'],
      ['σ', 'Σ'],
      ['C', 'c'],
      ['', 'Ω'],
    ])('find the range between two texts by code points: %p and %p', async (from, to) => {
      const [first, second] = [from, to].map(encodeURIComponent)
      const query = `samples?filters[word][$between][0]=${String(first)}&filters[word][$between][1]=${String(second)}&sort=id`
      const isBetween = (word: string): boolean => word >= from && word <= to
      const between = Object.entries(words).flatMap(([label, word]) => (isBetween(word) ? [label] : []))
      expect(await serve().values(`${query}&pagination[pageSize]=100`, 'label')).toEqual(between)
      const outside = query.replaceAll('[word]', '[$not][word]')
      expect(await serve().list(`${outside}&pagination[pageSize]=100`)).toHaveLength(
        Object.keys(words).length - between.length,
      )
    })

    it.each([
      ['[$null]=true', ['missing']],
      ['[$notNull]=false', ['missing']],
      ['[$eq]', ['missing']],
      ['', ['missing']],
      ['[$null]=false', all],
      ['[$notNull]=true', all],
      ['[$ne]', all],
    ])('distinguish null from an empty text: filters[word]%s', async (condition, labels) => {
      const query = `samples?filters[word]${condition}&pagination[pageSize]=100`
      expect(await serve().values(query, 'label')).toEqual(labels)
    })
  })

  const { serve } = stocked(database, samples, { sample: typed })
  const found = (condition: string): Promise<unknown[]> =>
    serve().values(`samples?filters${condition}`, 'label')

  describe('filters on other types', () => {
    it.each([
      ['[count]=-5', ['one']],
      ['[count][$eq]=0', ['two']],
      ['[count][$ne]=0', ['one', 'three']],
      ['[count][$gt]=-5', ['two', 'three']],
      ['[count][$gte]=-5', ['one', 'two', 'three']],
      ['[count][$lt]=9', ['one', 'two']],
      ['[count][$lte]=100', ['one', 'two', 'three']],
      ['[count][$gt]=0.5', ['three']],
      ['[count][$between][0]=-5&filters[count][$between][1]=0', ['one', 'two']],
      ['[count][$in][0]=0&filters[count][$in][1]=100', ['two', 'three']],
      ['[count][$notIn][0]=0&filters[count][$notIn][1]=100', ['one']],
      ['[count][0]=0&filters[count][1]=100', ['two', 'three']],
      ['[count][$contains]=00', ['three']],
      ['[big][$eq]=9007199254740993', ['one']],
      ['[big][$eq]=9007199254740992', []],
      ['[big][$gt]=9007199254740992', ['one']],
      ['[big][$lt]=-9223372036854775807', ['two']],
      ['[ratio][$eq]=0.5', ['one']],
      ['[ratio][$gt]=0.5', ['two']],
      ['[price][$eq]=14', ['one']],
      ['[price][$eq]=14.00', ['one']],
      ['[price][$gt]=14', ['two']],
      ['[flag]=true', ['one']],
      ['[flag][$eq]=1', ['one']],
      ['[flag][$eq]=false', ['two']],
      ['[flag][$ne]=true', ['two']],
      ['[flag][$null]=true', ['three']],
      ['[day]=2024-01-31', ['one']],
      ['[day][$gt]=2024-01-31', ['two']],
      ['[day][$gte]=2024-01-31T12:00:00.000Z', ['one', 'two']],
      ['[hour][$eq]=09:30', ['one']],
      ['[hour][$gt]=09:30:00.000', ['two']],
      ['[moment][$eq]=2024-01-31T23:30:00.250Z', ['one']],
      ['[moment][$eq]=2024-02-01T00:30:00.250%2B01:00', ['one']],
      ['[moment][$gt]=2024-02-01', ['two']],
      ['[moment][$lt]=2024-02-01T00:00', ['one']],
      [`[moment]=${String(Date.parse('2024-02-01T00:30:00.000Z'))}`, ['two']],
      ['[data][$notNull]=true', ['one']],
      ['[id][$notNull]=true', ['one', 'two', 'three']],
    ])('compare values by their type: %s', async (condition, labels) => {
      expect(await found(condition)).toEqual(labels)
    })

    it.each([
      ['[count][$eq]=abc', 'count.$eq'],
      ['[count]=', 'count'],
      ['[count]=5x', 'count'],
      ['[count]=99999999999', 'count'],
      ['[big][$gt]=1.5', 'big.$gt'],
      ['[big]=word', 'big'],
      ['[big]=9223372036854775808', 'big'],
      ['[ratio][$lt]=NaN', 'ratio.$lt'],
      ['[price]=1e999', 'price'],
      ['[day]=2024-02-30', 'day'],
      ['[day]=yesterday', 'day'],
      ['[day]=31.01.2024', 'day'],
      ['[hour]=25:00', 'hour'],
      ['[moment][$gt]=soon', 'moment.$gt'],
      ['[moment]=2024-13-01T00:00:00Z', 'moment'],
      ['[count][$between]=1', 'count.$between'],
      [
        '[count][$between][0]=1&filters[count][$between][1]=2&filters[count][$between][2]=3',
        'count.$between',
      ],
      ['[count][$in][0]=1&filters[count][$in][1]=x', 'count.$in'],
      ['[count][$eq][a]=1', 'count.$eq'],
      ['[count][$in][a]=1', 'count.$in'],
      ['[count][$gt]', 'count.$gt'],
      ['[word]=%00', 'word'],
      ['[word][$contains]=%00', 'word.$contains'],
      ['[id]=2abc', 'id'],
      ['[price][$contains]=1', 'price.$contains'],
      ['[data][$eq]=1', 'data.$eq'],
      ['[data][a]=1', 'data.a'],
      ['[nope]=1', 'nope'],
      ['[hidden]=x', 'hidden'],
      ['[count][$nope]=1', 'count.$nope'],
      ['[$nope]=1', '$nope'],
      ['[$eq]=1', '$eq'],
      ['[$and]=1', '$and'],
      ['[$or][a][count]=1', '$or'],
      ['[$or][0]=1', '$or.0'],
      ['[$and][0][count]=x', '$and.0.count'],
      ['[$not][count]=x', '$not.count'],
      ['[constructor]=1', 'constructor'],
      ['[__proto__]=1', '__proto__'],
      ['[toString][$eq]=1', 'toString'],
    ])(
      'are rejected with their path if a value, name or operator is invalid: %s',
      async (condition, path) => {
        expect((await serve().refusal(`samples?filters${condition}`)).path).toBe(`filters.${path}`)
      },
    )

    it.each(['filters=x', 'filters=', 'filters[0][count]=1', 'filters[]=1'])(
      'are rejected if they name no attribute: %s',
      async (query) => {
        expect((await serve().refusal(`samples?${query}`)).path).toMatch(/^filters/)
      },
    )
  })

  describe('combined filters', () => {
    const [count, flag] = ['[count][$gte]=0', '[flag]=true']

    it.each([
      [`${count}&filters[label]=two`, ['two']],
      ['[count][$gte]=0&filters[count][$lt]=100', ['two']],
      [`[$and][0]${count}&filters[$and][1][label]=two`, ['two']],
      [`[$or][0]${flag}&filters[$or][1][label]=three`, ['one', 'three']],
      [`[$or][0]${flag}&filters[$or][1][label]=two&filters[count]=0`, ['two']],
      [`[$or][0][$and][0]${flag}&filters[$or][0][$and][1][count]=7&filters[$or][1][label]=two`, ['two']],
      ['[$not][label]=one', ['two', 'three']],
      ['[label][$not][$eq]=one', ['two', 'three']],
      ['[label][$not]=one', ['two', 'three']],
      ['[$not][$or][0][label]=one&filters[$not][$or][1][count]=100', ['two']],
      ['[$not][$and][0][label]=one&filters[$not][$and][1][count]=-5', ['two', 'three']],
      ['[$not][$not][label]=one', ['one']],
      ['[$not][count][$between][0]=-9&filters[$not][count][$between][1]=9', ['three']],
      ['[$not][label][$contains]=o', ['three']],
      ['[$not][flag]=true', ['two']],
      ['[$not][flag][$null]=true', ['one', 'two']],
    ])('are one condition: %s', async (condition, labels) => {
      expect(await found(condition)).toEqual(labels)
    })

    it('nest forty levels deep', async () => {
      const nested = '[$and][0]'.repeat(40)
      expect(await found(`${nested}[label]=two`)).toEqual(['two'])
    })
  })
})

describe('a value of the caller in a rule', () => {
  const valueOf = (type: ColumnType, text: string): unknown => askerValueOf({ type }, text)

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
  ])('is converted to the type of the attribute: %s %j', (type, text, value) => {
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
  ])('is rejected if it is of another type: %s %j', (type, texts) => {
    expect(texts.map((text) => [text, valueOf(type, text)])).toEqual(texts.map((text) => [text, undefined]))
  })
})
