// The one grammar of random requests: what can be meant of a type, in the words of those who draw from it.
import { type Chance, happens, pick, times } from './chance'
import { page } from './page'
import { fields, filtering, populate, tree } from './populates'
import type { Request } from './request'
import { sortKeys } from './sorts'
import type { Speaker } from './speaker'
import type { KnownType } from './vocabulary'

function populating(speaker: Speaker, type: KnownType, dotted: boolean): Pick<Request, 'populate'> {
  if (dotted) {
    const names = tree(speaker, type, 3)
    return names.length === 0 ? {} : { populate: names }
  }
  return happens(speaker.chance, 75) ? { populate: populate(speaker, type, 3) } : {}
}

const someLocale = (chance: Chance): string => pick(chance, ['en', 'fr', 'de', 'xx'])

/** With several locales a fallback is refused, now and then. */
function locale({ chance, words }: Speaker): Pick<Request, 'locale' | 'fallback'> {
  const fallsBack = words.beyondStrapi && happens(chance, 25)
  const fallback = fallsBack ? { fallback: times(chance, 0, 3, () => someLocale(chance)) } : {}
  if (happens(chance, 60)) return fallback
  if (fallsBack && happens(chance, 80)) return { locale: [someLocale(chance)], ...fallback }
  if (happens(chance, 50)) return { locale: '*', ...fallback }
  return { locale: times(chance, 1, 2, () => someLocale(chance)), ...fallback }
}

export function request(speaker: Speaker, type: KnownType, isList: boolean): Request {
  const { chance } = speaker
  const dotted = happens(chance, 20)
  return {
    style: pick(chance, ['brackets', 'indexes', 'commas'] as const),
    dotted,
    ...(happens(chance, 40) ? { fields: fields(speaker, type) } : {}),
    ...populating(speaker, type, dotted),
    ...filtering(speaker, type, 50),
    ...(happens(chance, 50) ? { sort: sortKeys(speaker, type) } : {}),
    ...(isList && happens(chance, 30) ? { page: page(chance) } : {}),
    ...(happens(chance, 30) ? { status: pick(chance, ['draft', 'draft', 'published'] as const) } : {}),
    ...locale(speaker),
  }
}
