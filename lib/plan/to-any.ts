import type { Ask, AskedPopulate } from '../query'
import type { LinkField, Model } from '../schema'

export const isToAny = ({ role, targets }: LinkField): boolean => role === 'morph' && targets.length !== 1

/** What a zone holds, and entries of any type, stand in the editor's order, even where a fragment says another. */
export const standsAsPut = (field: LinkField): boolean => field.role === 'zone' || isToAny(field)

/**
 * A relation to any type is populated whole, or per type with `on`. Other keys could only be meant for one type, and
 * as with Strapi they leave the field out.
 */
export const hasNoRoom = (field: LinkField, ask: Ask): boolean =>
  isToAny(field) && ask.on === null && ask.keys.some((key) => key !== 'count')

export function leftOutOf(model: Model, { entries }: AskedPopulate): readonly LinkField[] {
  return entries.flatMap(({ name, ask }) => {
    const field = model.links.get(name)
    return field !== undefined && ask !== null && hasNoRoom(field, ask) ? [field] : []
  })
}
