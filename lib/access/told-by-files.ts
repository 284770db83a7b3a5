import type { LinkField, Model } from '../schema'

type Models = ReadonlyMap<string, Model>

function toldLess(field: LinkField, shown: Models): LinkField {
  const { link } = field
  if (link.via !== 'mixed' || link.told === undefined) return field
  const told = link.told.map(({ type, fields }) => {
    const links = shown.get(type)?.links
    const isShown = (name: string): boolean => {
      const own = links?.get(name)
      return own !== undefined && own.shownIn === undefined
    }
    return { type, fields: fields.filter(isShown) }
  })
  return { ...field, link: { ...link, told: told.filter(({ fields }) => fields.length > 0) } }
}

/**
 * Files are shown wherever they are linked, and take no rule, so that what leads back from them tells of an attribute only
 * where it is shown on the other side. Of one that some entries show, it tells of none.
 */
export function toldByFiles(file: Model, shown: Models): Model {
  const links = new Map([...file.links].map(([name, field]) => [name, toldLess(field, shown)]))
  return { ...file, links }
}
