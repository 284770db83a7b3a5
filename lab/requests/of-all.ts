// What is asked of all that a link leads to: for one of them, for none, for each, or how many there are.
import { type Chance, happens, pick, some, times } from './chance'
import { kindOfValue, comparison, isKnownOperator } from './operators'
import type { Filter } from './request'
import type { Speaker } from './speaker'
import { fileUid, type KnownType, type Link, type Vocabulary } from './vocabulary'

export type MakeCondition = (speaker: Speaker, type: KnownType, depth: number) => Filter

/** Mostly as many as there may be. */
export function numberCondition({ chance, words }: Speaker, type: KnownType): Filter {
  const operator = pick(chance, words.operators('integer'))
  const compares = isKnownOperator(operator) ? kindOfValue(operator) : 'own'
  const one = (): string => {
    if (compares === 'truth') return pick(chance, ['true', 'false'])
    if (happens(chance, 90)) return String(chance(4))
    return words.operand(type, { name: 'id', kind: 'integer' }, compares)
  }
  const whole = isKnownOperator(operator)
    ? comparison(operator, times(chance, 1, 3, one))
    : { operator, value: one() }
  return happens(chance, 10) ? { not: whole } : whole
}

/** Of which types the entries can be. */
const elementTypes = (types: Vocabulary, { kind, elements }: Link): readonly KnownType[] =>
  kind === 'dynamiczone'
    ? elements.flatMap((uid) => types.get(uid) ?? [])
    : [...types.values()].filter(({ isComponent, uid }) => !isComponent && uid !== fileUid)

function tagCondition(chance: Chance, { kind }: Link, uids: readonly string[]): Filter {
  const several = some(chance, uids, 3)
  const list = several.length === 0 ? uids : several
  const of = happens(chance, 50)
    ? { operator: pick(chance, ['$eq', '$ne']), value: pick(chance, uids) }
    : { operator: pick(chance, ['$in', '$notIn']), value: list }
  return { at: kind === 'dynamiczone' ? '__component' : '__type', of }
}

/** What is asked of entries of several types. */
function elementCondition(speaker: Speaker, link: Link, depth: number, make: MakeCondition): Filter {
  const { chance, types, words } = speaker
  const able = elementTypes(types, link)
  const again = (): Filter => elementCondition(speaker, link, depth - 1, make)
  const way = depth > 0 ? chance(10) : 9
  if (way === 0) return { not: again() }
  if (way === 1) return happens(chance, 50) ? { all: [again(), again()] } : { any: [again(), again()] }
  if (able.length === 0 || happens(chance, 30)) {
    const uids = able.map(({ uid }) => uid)
    return tagCondition(chance, link, uids.length === 0 ? ['nope.nope'] : uids)
  }
  const type = pick(chance, able)
  return { at: 'on', of: { at: words.name(type.uid), of: make(speaker, type, depth - 1) } }
}

export function ofAll(speaker: Speaker, link: Link, depth: number, make: MakeCondition): Filter {
  const { chance } = speaker
  if (happens(chance, 35)) return { count: numberCondition(speaker, link.to ?? none) }
  const which = pick(chance, ['$some', '$none', '$every'] as const)
  const of =
    link.to === undefined ? elementCondition(speaker, link, depth, make) : make(speaker, link.to, depth - 1)
  return { which, of }
}

const none: KnownType = { uid: '', isComponent: true, scalars: [], links: [] }
