import { happens, pick, some } from './chance'
import { condition } from './conditions'
import { page } from './page'
import type { Ask, Populate, Wanted } from './request'
import { sortKeys } from './sorts'
import type { Speaker } from './speaker'
import { fileUid, type KnownType, type Link } from './vocabulary'

export function fields({ chance, words }: Speaker, { scalars }: KnownType): string[] {
  const names = scalars.map(({ name }) => name)
  return [words.name(pick(chance, names)), ...some(chance, names, 3)]
}

export const filtering = (speaker: Speaker, type: KnownType, percent: number): Pick<Ask, 'filters'> =>
  happens(speaker.chance, percent) ? { filters: condition(speaker, type, 3) } : {}

function ask(speaker: Speaker, type: KnownType, many: boolean, depth: number): Ask {
  const { chance, words } = speaker
  return {
    ...(happens(chance, 30) ? { fields: fields(speaker, type) } : {}),
    ...filtering(speaker, type, 25),
    ...(many && happens(chance, 30) ? { sort: sortKeys(speaker, type) } : {}),
    ...(depth > 0 && happens(chance, 60) ? { populate: populate(speaker, type, depth - 1) } : {}),
    ...(many && happens(chance, 8) ? { count: true } : {}),
    ...(many && words.hasInnerPages && happens(chance, 8) ? { page: page(chance) } : {}),
  }
}

const isEntry = ({ isComponent, uid }: KnownType): boolean => !isComponent && uid !== fileUid

/** Of what leads to entries of several types. */
function mixedAsk(speaker: Speaker, kind: string, depth: number): Ask {
  const { chance, types } = speaker
  const able = [...types.values()].filter(kind === 'dynamiczone' ? (type) => type.isComponent : isEntry)
  const listed = some(chance, able, 3)
  if (listed.length > 0 && happens(chance, 60))
    return { on: listed.map((type) => ({ name: type.uid, ask: ask(speaker, type, false, depth) })) }
  return kind === 'dynamiczone' && happens(chance, 50) ? { populate: '*' } : {}
}

/** What a file is used by is left to specs of its own. */
const withoutPopulate = (asked: Ask): Ask =>
  Object.fromEntries(Object.entries(asked).filter(([key]) => key !== 'populate'))

function wanted(speaker: Speaker, { name, to, kind, many }: Link, depth: number): Wanted {
  const said = speaker.words.name(name)
  if (said !== name) return { name: said, ask: {} }
  if (to === undefined) return { name, ask: mixedAsk(speaker, kind, depth) }
  const of = ask(speaker, to, many, depth)
  return { name, ask: to.uid === fileUid ? withoutPopulate(of) : of }
}

export function populate(speaker: Speaker, type: KnownType, depth: number): Populate {
  const { chance } = speaker
  if (happens(chance, 20)) return '*'
  const asked = some(chance, type.links, 4).map((link) => wanted(speaker, link, depth))
  // A name asked for twice would be one key of the text.
  const byName = new Map(asked.map((one) => [one.name, one]))
  return asked.length === 0 ? '*' : [...byName.values()]
}

/** Paths below a zone name what its elements have: those of arbitrary worlds all have what the core has. */
const elementOf = (elements: readonly string[]): string | undefined =>
  elements.find((uid) => uid === 'shared.core') ?? elements[0]

/** A tree of names, such as paths can say. */
export function tree(speaker: Speaker, type: KnownType, depth: number): Wanted[] {
  const { chance, types } = speaker
  return some(chance, type.links, 4).map(({ name, to, elements }): Wanted => {
    const next = to ?? types.get(elementOf(elements) ?? '')
    if (depth === 0 || happens(chance, 40) || next === undefined || next.uid === fileUid)
      return { name, ask: {} }
    const below = tree(speaker, next, depth - 1)
    return { name, ask: below.length === 0 ? {} : { populate: below } }
  })
}
