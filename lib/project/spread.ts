import type { ReadingScope } from './scope'
import { spoil } from './spoil'
import {
  isStaticFunction,
  isStaticRecord,
  sizeOf,
  spreadsUnknown,
  type StaticValue,
  unknownRest,
  unknownValue,
} from './static-value'

/** What `{ ...inner }` puts over what stands before it. */
export function spread(inner: StaticValue, into: Map<string, StaticValue>, { budget }: ReadingScope): void {
  budget.spend(sizeOf(inner) + into.size)
  const isRecord = isStaticRecord(inner)
  if (inner === unknownValue || isStaticFunction(inner) || (isRecord && spreadsUnknown(inner))) {
    spoil([...into.values()], budget)
    for (const name of into.keys()) into.set(name, unknownValue)
    into.set(unknownRest, unknownValue)
  }
  if (isRecord) for (const [name, one] of inner) into.set(name, one)
}
