import type { Fault } from './fault'
import { nearestParameters } from './nearest'
import { type Grammar, placeAt } from './places'
import type { ToldType } from './told'
import { namesOf, pairsIn } from './written-pairs'

/** A warning for a response: the first parameter without a meaning that resembles a known one. */
export function ignoredIn(text: string, grammar: Grammar, type: ToldType): Fault | null {
  // Lists of plugins have parameters of their own.
  if (type.path === null || type.uid.startsWith('plugin::')) return null
  const known = placeAt(grammar, type, []).names.map((one) => one.text)
  for (const { key, keyFrom } of pairsIn(text)) {
    const [name = ''] = namesOf(key)
    if (known.includes(name)) continue
    const meant = nearestParameters(name, known)
    if (meant.length > 0) {
      const message = `${name} is no parameter, and ignored`
      return { message, isAnswered: true, spot: [keyFrom, keyFrom + name.length], meant, isNear: true }
    }
  }
  return null
}
