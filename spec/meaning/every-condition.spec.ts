import makeKnex from 'knex'
import { chanceFrom, happens, pick, times, type Chance } from '../../requests/chance'
import { mysql } from '../../lib/compile/mysql'
import { postgres } from '../../lib/compile/postgres'
import { notationOf, sql } from '../../lib/compile/sql'
import { makeScope, type SqlScope } from '../../lib/compile/sql-scope'
import { sqlite } from '../../lib/compile/sqlite'
import { compile, type Statement } from '../../lib/compile/statement'
import { where } from '../../lib/compile/where'
import { once } from '../../lib/memory'
import type { Condition } from '../../lib/plan'
import { type LinkField, type Model, modelOf, readSchema, type Uid } from '../../lib/schema'
import { library } from '../support/library'

const schema = readSchema(library)

type Step = Extract<Condition<never>, { op: 'some' }>['step']

interface Growing {
  readonly chance: Chance
  /** What is compared with, each once. */
  readonly values: string[]
  /** A link leads to the same rows wherever it is followed. */
  readonly steps: Map<LinkField, Step>
}

const leadsSomewhere = ({ link, targets }: LinkField): boolean => link.via !== 'here' && targets.length === 1

function test({ values }: Growing, { columns }: Model): Condition<never> {
  const column = columns.get('id')
  if (column === undefined) throw new Error('no id')
  const value = `value ${String(values.length)}`
  values.push(value)
  const text = { ...column, column: 'name', type: 'string' } as const
  return { op: 'test', column: text, test: { is: 'equal', value, ignoreCase: false }, negated: false }
}

const modelNamed = (uid: string): Model => modelOf(schema, uid as Uid)

function stepFrom(growing: Growing, field: LinkField, left: number): Step {
  const [uid = ''] = field.targets
  const target = modelNamed(uid)
  return once(growing.steps, field, () => {
    const visible = grown({ ...growing, steps: new Map<LinkField, Step>() }, target, Math.min(left - 1, 1))
    return { field, target, visible, path: [] }
  })
}

/** Something that could be asked, or that a rule could say, which leads through so many links in a row at the most. */
function grown(growing: Growing, model: Model, left: number): Condition<never> {
  const { chance } = growing
  const fields = [...model.links.values()].filter(leadsSomewhere)
  const kind = left === 0 || fields.length === 0 ? chance(2) : chance(8)
  if (kind === 0) return test(growing, model)
  if (kind < 4) {
    const of = times(chance, 1, 5, () =>
      kind === 1 ? test(growing, model) : grown(growing, model, left - 1),
    )
    return { op: happens(chance, 70) ? 'and' : 'or', of }
  }
  if (kind === 4) return { op: 'ruled', of: grown(growing, model, left - 1), onTheWay: happens(chance, 50) }
  const field = pick(chance, fields)
  const step = stepFrom(growing, field, left)
  const of = grown(growing, step.target, left - 1)
  if (kind < 7) return { op: 'some', step, of, orMissing: happens(chance, 20) }
  const [among, untrue] = [happens(chance, 50), happens(chance, 50)]
  return { op: 'linked', asked: '$some', field, ways: [{ step, of }], named: [], among, untrue, count: null }
}

const boundIn = ({ bindings, before }: Statement): readonly unknown[] => [
  ...bindings,
  ...before.flatMap(boundIn),
]

const clients = [
  ['mysql2', mysql],
  ['pg', postgres],
  ['better-sqlite3', sqlite],
] as const

/** As much room as there is, and as little as there can be left of it behind other conditions. */
const rooms: readonly Partial<SqlScope>[] = [
  {},
  { room: 1 },
  { room: 0 },
  { room: 0, levels: 0 },
  { levels: 0 },
]

describe.each(clients)('what is asked of %s', (client, dialect) => {
  const notation = notationOf(makeKnex({ client, useNullAsDefault: true }), dialect.placeholder)

  it('is written whole, in however little room', () => {
    const chance = chanceFrom(7)
    let compared = 0
    for (let round = 0; round < 1500; round += 1) {
      const growing: Growing = { chance, values: [], steps: new Map() }
      const model = modelNamed(pick(chance, ['api::book.book', 'api::author.author', 'api::genre.genre']))
      const condition = grown(growing, model, 4)
      for (const room of rooms) {
        const scope = { ...makeScope({ notation, dialect, matching: 'exact' }), ...room }
        const bound = new Set(
          boundIn(compile(scope, sql('?', [where(scope, { alias: 't0', model }, condition)]))),
        )
        const lost = growing.values.filter((value) => !bound.has(value))
        if (lost.length > 0) expect({ round, room, lost }).toEqual({ round, room, lost: [] })
        compared += growing.values.length
      }
    }
    expect(compared).toBeGreaterThan(50_000)
  })
})
