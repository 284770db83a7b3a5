import type { Condition } from '../plan'

export type ConditionParts = readonly Condition<never>[]

/** Through how many links conditions lead before they come to sets that are closed, as far as there is room for them. */
export function linksIn(parts: ConditionParts, room: number, levels: number): number {
  let links = 0
  for (const part of parts) {
    if (part.op === 'and' || part.op === 'or') links += linksIn(part.of, room - links, levels)
    if (part.op === 'some' || part.op === 'linked') links += 1
    if (part.op === 'ruled')
      links += part.onTheWay
        ? Math.min(1, linksIn([part.of], 0, 0))
        : linksIn([part.of], room - links, levels)
    if (part.op === 'some' && levels > 0)
      links += linksIn([part.step.visible, part.of], room - links, levels - 1)
    if (links > room) break
  }
  return links
}

export const leadsOn = (part: Condition<never>): boolean => linksIn([part], 0, 0) > 0
