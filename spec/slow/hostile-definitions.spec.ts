import { eachDatabase } from '../support/databases'
import { hostile, inherited, marker } from '../support/hostile'
import { collection, component, relation, text } from '../support/library'
import { stocked } from '../support/served'
import { ConfigError } from '../../lib/errors'
import { readSchema } from '../../lib/schema'
import { keeping } from '../support/hearing'

type Definitions = Parameters<typeof stocked>[1]

/** A definition with a text in one place. */
function definedWith(place: string, hostileText: string): Definitions {
  const at = (name: string, usual: string): string => (name === place ? hostileText : usual)
  const own = place === 'columnName' ? { columnName: hostileText } : {}
  const joined = place === 'joinTable' ? { joinTable: { name: hostileText } } : {}
  // Written as files are, so that the name __proto__ is one.
  const attributes = JSON.parse(
    `{${[
      [at('attribute', 'extra'), { ...text, ...own, ...joined }],
      [at('relation', 'twin'), relation('oneToOne', at('target', 'card'))],
      [at('media', 'photo'), { type: 'media' }],
      [at('part', 'part'), { type: 'component', component: at('component', 'shared.part') }],
      [at('zone', 'zone'), { type: 'dynamiczone', components: [at('element', 'shared.part')] }],
      ['back', relation('manyToOne', 'card', { inversedBy: at('inversedBy', 'cards') })],
      ['cards', relation('oneToMany', 'card', { mappedBy: at('mappedBy', 'back') })],
      ['notes', relation('morphMany', 'card', { morphBy: at('morphBy', 'any') })],
      ['any', { type: 'relation', relation: 'morphToMany' }],
    ]
      .map(([name, attribute]) => `${JSON.stringify(name)}:${JSON.stringify(attribute)}`)
      .join(',')}}`,
  ) as Record<string, object>
  return [
    {
      kind: at('kind', 'collectionType'),
      collectionName: at('collectionName', 'cards'),
      info: { singularName: at('singularName', 'card'), pluralName: at('pluralName', 'cards') },
      attributes,
    },
    { ...component(at('uid', 'shared.part'), { label: text }), collectionName: at('partTable', 'parts') },
  ] as unknown as Definitions
}

const places = [
  ...[
    'attribute',
    'relation',
    'media',
    'part',
    'zone',
    'target',
    'component',
    'element',
    'inversedBy',
    'mappedBy',
  ],
  ...[
    'morphBy',
    'columnName',
    'joinTable',
    'kind',
    'collectionName',
    'singularName',
    'pluralName',
    'uid',
    'partTable',
  ],
]

/** Letters, digits and _ make a name like any other. */
const odd = hostile.filter((one) => !/^[\p{L}\p{N}_]+$/u.test(one))

/** Names that every object has, which tables and routes may have. */
const inheritedNames = inherited.filter((one) => one !== 'prototype')
const mayBeInherited = ['collectionName', 'pluralName', 'partTable']

/** What a schema serves, in full; null if the definition is refused. */
function servedOf(definitions: Definitions): string | null {
  const all = (_key: string, value: unknown): unknown => (value instanceof Map ? [...value] : value)
  try {
    return JSON.stringify(readSchema(definitions, keeping().logger), all)
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}

describe('a definition', () => {
  it('is served without a hostile text', () => {
    expect(servedOf(definedWith('nowhere', ''))).toContain('"extra"')
  })

  it.each(places)(
    'with a hostile text as its %s is refused, or served without what has the text',
    (place) => {
      for (const one of mayBeInherited.includes(place) ? odd : [...odd, ...inheritedNames]) {
        const served = servedOf(definedWith(place, one)) ?? ''
        expect([one, served.includes(JSON.stringify(one))]).toEqual([one, false])
      }
    },
  )
})

const words = [
  ...[
    'select',
    'from',
    'where',
    'group',
    'order',
    'limit',
    'offset',
    'table',
    'index',
    'key',
    'null',
    'default',
  ],
  ...[
    'user',
    'value',
    'values',
    'desc',
    'primary',
    'union',
    'having',
    'case',
    'end',
    'and',
    'not',
    'like',
    'exists',
  ],
]

/** Every name is one that SQL has a use for, and every text that a definition may hold is hostile. */
const wordy = [
  {
    ...collection('select', {
      ...Object.fromEntries(words.map((word) => [word, text])),
      check: { type: 'enumeration', enum: hostile, default: hostile[0], private: false },
      column: { ...text, default: hostile[1], regex: hostile[2] },
      join: relation('manyToMany', 'select'),
      references: relation('manyToOne', 'grant', { inversedBy: 'all' }),
      fetch: { type: 'component', component: 'sql.with', repeatable: true },
      into: { type: 'dynamiczone', components: ['sql.with'] },
      picture: { type: 'media' },
    }),
    collectionName: 'order',
    info: { singularName: 'select', pluralName: 'from', displayName: hostile[3], description: hostile[4] },
    options: { draftAndPublish: false, comment: hostile[5] },
  },
  {
    ...collection('grant', {
      by: { type: 'text' },
      all: relation('oneToMany', 'select', { mappedBy: 'references' }),
    }),
    collectionName: 'Group-By',
  },
  { ...component('sql.with', { as: text, on: relation('oneToOne', 'grant') }), collectionName: 'table' },
] as unknown as Definitions

eachDatabase((database) => {
  const said = hostile.filter((one) => !one.includes('\u0000'))
  const { serve } = stocked(database, wordy, {
    grant: [{ $ref: 'root', by: said.join('') }],
    select: said.map((one, index) => ({
      ...{ $ref: `s${String(index)}`, select: one, from: one, group: String(index), check: one, column: one },
      ...{ references: 'root', join: ['s0'], fetch: [{ as: one, on: 'root' }] },
      into: [{ __component: 'sql.with', as: one, on: 'root' }],
    })),
  })

  it('keywords of SQL as names and hostile texts as values work like any other', async () => {
    const { sql: statements, logger } = keeping()
    const { list, values } = serve({ logger })
    const all = 'from?pagination[pageSize]=100'
    const sorted = await values(`${all}&sort=references.by,where,from,group:desc`, 'select')
    expect(new Set(sorted)).toEqual(new Set(said))
    for (const one of said) {
      const value = encodeURIComponent(one)
      const filters = `filters[select]=${value}&filters[check]=${value}&filters[fetch][as]=${value}`
      const [found, ...others] = await list(
        `from?${filters}&populate=*&filters[references][by][$contains]=${value}`,
      )
      expect(others).toEqual([])
      expect(found).toMatchObject({
        ...{ select: one, from: one, check: one, column: one, join: [{ select: said[0] }], null: null },
        ...{ references: { by: said.join('') }, fetch: [{ as: one }], into: [{ as: one }], picture: null },
      })
    }
    expect(statements.length).toBeGreaterThan(said.length)
    expect(statements.join('\n')).not.toContain(marker)
  })
})
