import { unknownKey } from '../errors'
import type { Condition, FaultBehindLink, LinkedEntries, Order, Step } from '../plan'
import type { Readable } from './readable'

/** The words of an unknown name: a role that may not read a type does not learn that it is there. */
function refuseStep(step: Step, readable: Readable): void {
  if (!readable(step.target)) throw unknownKey(step.path, step.field.name)
}

/** Those that may be read. A link that leads to nothing of that kind is as one that is not there. */
function readableSteps(steps: readonly Step[], readable: Readable): readonly Step[] {
  const kept = steps.filter(({ target }) => readable(target))
  const [first] = steps
  if (kept.length === 0 && first !== undefined) refuseStep(first, readable)
  return kept
}

/** Entries of a type that may not be read are none; where it is named it is unknown. */
function permitLinked(condition: LinkedEntries<FaultBehindLink>, readable: Readable): LinkedEntries<never> {
  const { ways, named, count } = condition
  const kept = new Set(
    readableSteps(
      ways.map(({ step }) => step),
      readable,
    ),
  )
  for (const one of named) {
    if (one.op === 'fault') throw one.error
    if (!readable(one.target)) throw unknownKey(one.path, one.target.uid)
  }
  return {
    ...condition,
    ways: ways
      .filter(({ step }) => kept.has(step))
      .map(({ step, of }) => ({ step, of: permitCondition(of, readable) })),
    named: [],
    count: count === null ? null : permitCondition(count, readable),
  }
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
    case 'linked':
      return permitLinked(condition, readable)
    case 'test':
    case 'version':
    case 'not in locales':
      return condition
  }
}

export function permitOrder(order: Order<FaultBehindLink>, readable: Readable): Order<never> {
  for (const step of order.steps) refuseStep(step, readable)
  const { column, counted } = order
  if ('op' in column) throw column.error
  if (counted === null) return { ...order, counted, column }
  return { ...order, counted: { ...counted, steps: readableSteps(counted.steps, readable) }, column }
}
