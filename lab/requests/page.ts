import { type Chance, happens, pick } from './chance'
import type { Page } from './request'

export function page(chance: Chance): Page {
  const by = pick(chance, ['page', 'offset'] as const)
  const first = (by === 'page' ? 1 : 0) + chance(4)
  const counting = happens(chance, 30) ? { withCount: happens(chance, 50) } : {}
  return { by, first, size: 1 + chance(6), ...counting }
}
