import { unknownKey } from '../errors'
import type { Condition, FaultBehindLink, Order, Step } from '../plan'
import type { Readable } from './readable'

/** The words of an unknown name: a role that may not read a type does not learn that it is there. */
function refuseStep(step: Step, readable: Readable): void {
  if (!readable(step.target)) throw unknownKey(step.path, step.field.name)
}

export function permitCondition(condition: Condition<FaultBehindLink>, readable: Readable): Condition<never> {
  switch (condition.op) {
    case 'fault':
      throw condition.error
    case 'and':
    case 'or':
      return { op: condition.op, of: condition.of.map((part) => permitCondition(part, readable)) }
    case 'some':
      refuseStep(condition.step, readable)
      return { ...condition, of: permitCondition(condition.of, readable) }
    case 'test':
    case 'version':
    case 'not in locales':
      return condition
  }
}

export function permitOrder(order: Order<FaultBehindLink>, readable: Readable): Order<never> {
  for (const step of order.steps) refuseStep(step, readable)
  const { column } = order
  if ('op' in column) throw column.error
  return { ...order, column }
}
