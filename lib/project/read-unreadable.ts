import { byRead, noRoutes, type RoutesPlace, type RoutesReading } from './routes-reading'
import type { Weight } from './weight'

/** What nobody can read may refuse those whom it names no way to refuse only by what it takes from elsewhere. */
function weighText(text: string): Weight {
  const elsewhere = /(?:from|require\s*\(|import)\s*(['"`])(?!@strapi\/)/
  return /polic|\b(?:only|except|scope|strategies)\b/i.test(text) || elsewhere.test(text) ? 'guards' : 'more'
}

const names = (text: string, name: string): boolean => {
  const inText = name.replace(/[^\w:/-]/g, '\\$&')
  return new RegExp(`${inText}(?![\\w-])`, 'i').test(text)
}

export const namesType = ({ type, text }: RoutesPlace): boolean =>
  names(text, type.uid) || names(text, `/${type.route}`)

/** Routes that cannot be told: the type's own, or some that name it, count by the words that are in them. */
export function readUnreadable(place: RoutesPlace): RoutesReading {
  const { type, api, text, isOwn } = place
  const makesRouter = text.includes('createCoreRouter') && names(text, type.uid)
  if (!isOwn && !namesType(place)) return noRoutes
  // In the folder of another API it asks for a permission that no role can have.
  const isHome = type.uid.startsWith(`api::${api}.`)
  const weight = makesRouter && !isHome ? 'guards' : weighText(text)
  return byRead(type, () => ({ weight, answerer: makesRouter && weight === 'more' ? 'core' : 'nobody' }))
}
