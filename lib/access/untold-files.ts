import type { LinkField, Model, Uid, Untold } from '../schema'

type Models = ReadonlyMap<Uid, Model>

/** What leads to files, of a type, and not every entry shows to whoever asks. */
const unshownIn = (whole: Model, shown: Model | undefined, table: string): readonly string[] =>
  [...whole.links.values()].flatMap(({ name, link }) => {
    const own = shown?.links.get(name)
    const isShown = own !== undefined && own.shownIn === undefined
    return 'table' in link && link.table === table && !isShown ? [name] : []
  })

function toldLess(field: LinkField, whole: Models, shown: Models): LinkField {
  const { link } = field
  if (link.via !== 'mixed') return field
  const more = field.targets.flatMap((uid): Untold[] => {
    const model = whole.get(uid)
    const names = model === undefined ? [] : unshownIn(model, shown.get(uid), link.table)
    return names.map((name) => ({
      type: { column: link.type, value: uid },
      field: { column: 'field', value: name },
    }))
  })
  return more.length === 0
    ? field
    : { ...field, link: { ...link, untold: [...(link.untold ?? []), ...more] } }
}

/**
 * Files are shown wherever they are linked, and take no rule, so that what leads back from them tells nothing of an attribute
 * that a rule leaves out on the other side. Of one that some entries show, it tells of none.
 */
export function untoldByFiles(file: Model, whole: Models, shown: Models): Model {
  const links = new Map([...file.links].map(([name, field]) => [name, toldLess(field, whole, shown)]))
  return { ...file, links }
}
