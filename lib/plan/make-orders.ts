import { malformed, unknownKey } from '../errors'
import type { AskedSort } from '../query'
import type { Column, Model } from '../schema'
import { storedColumn } from './choose-columns'
import type { Planning } from './planning'
import { orFault } from './planning'
import { stepThrough } from './conditions'
import type { FaultBehindLink, Order, Step } from './level'

/** What the last name of a path sorts by. */
function columnOf(planning: Planning, model: Model, asked: AskedSort): Column {
  const name = asked.names.at(-1) ?? ''
  const path = [...asked.path, ...asked.names]
  const column = storedColumn(planning, model, name)
  if (column === undefined) throw unknownKey(path, name)
  if (column.type === 'json' && planning.matching === 'exact') {
    throw malformed(path, `Invalid sort: ${name} is JSON, which has no order that all databases share`)
  }
  return column
}

/** Every way along a path is walked for every entry, and through lists their number grows with each link. */
const mostSteps = 8

const tooFar = ({ path, names }: AskedSort): Error =>
  malformed([...path, ...names], `Sorting leads through at most ${String(mostSteps)} links`)

function makeOrder(planning: Planning, model: Model, asked: AskedSort): Order<FaultBehindLink> {
  const { names, direction, path } = asked
  const steps: Step[] = []
  let place = model
  for (const name of names.slice(0, -1)) {
    const field = place.links.get(name)
    const next = orFault(() => {
      if (steps.length === mostSteps) throw tooFar(asked)
      if (field === undefined) throw unknownKey([...path, ...names], name)
      return stepThrough(planning, field, [...path, ...names])
    })
    if ('op' in next) return { steps, column: next, direction }
    steps.push(next)
    place = next.target
  }
  return { steps, column: orFault(() => columnOf(planning, place, asked)), direction }
}

/** Ties are broken by id, so that no entry stands on two pages. */
export function makeOrders(
  planning: Planning,
  model: Model,
  asked: readonly AskedSort[],
): readonly Order<FaultBehindLink>[] {
  const orders = asked.map((key) => makeOrder(planning, model, key))
  const byId = { names: ['id'], direction: 'asc', isDirected: false, path: ['sort'] } as const
  const id = columnOf(planning, model, byId)
  return [...orders, { steps: [], column: id, direction: 'asc' }]
}
