import type { CompareOperator } from '../lib/query/asked'
import { happens, pick, times } from './chance'
import { allOperators, comparedBy, comparison } from './operators'
import type { Filter } from './request'
import type { Speaker } from './speaker'
import { type KnownType, type Passable, passable, type Scalar } from './vocabulary'

const isKnown = (operator: string): operator is CompareOperator =>
  (allOperators as readonly string[]).includes(operator)

function compare({ chance, words }: Speaker, type: KnownType, scalar: Scalar): Filter {
  const operator = pick(chance, words.operators(scalar.kind))
  const compares = isKnown(operator) ? comparedBy(operator) : 'value'
  const one = (): string =>
    compares === 'presence' ? pick(chance, ['true', 'false']) : words.operand(type, scalar, compares)
  if (['$eq', '$ne'].includes(operator) && happens(chance, 10)) return { operator, value: null }
  return isKnown(operator) ? comparison(operator, times(chance, 1, 3, one)) : { operator, value: one() }
}

/** What a link leads to may be compared as its id is. */
const ofLinked = (speaker: Speaker, type: KnownType): Filter =>
  compare(speaker, type, { name: 'id', kind: 'id' })

/** As many side by side through one link as no database is to be given at once. */
function crowd(speaker: Speaker, { name, to }: Passable): Filter {
  const { chance, words } = speaker
  const depth = happens(chance, 20) ? 1 : 0
  const parts = times(chance, 8, words.crowd, () => ({ at: name, of: condition(speaker, to, depth) }))
  return happens(chance, 70) ? { all: parts } : { any: parts }
}

export function condition(speaker: Speaker, type: KnownType, depth: number): Filter {
  const { chance, words } = speaker
  const ways = passable(type)
  if (depth > 0 && ways.length > 0 && happens(chance, 5)) return crowd(speaker, pick(chance, ways))
  const way = depth > 0 ? chance(10) : 9
  const parts = (): Filter[] => times(chance, 1, 2, () => condition(speaker, type, depth - 1))
  if (way === 0) return { all: parts() }
  if (way === 1) return { any: parts() }
  if (way === 2) return { not: condition(speaker, type, depth - 1) }
  if (way < 7 && ways.length > 0) {
    const { name, to } = pick(chance, ways)
    const of = happens(chance, 15) ? ofLinked(speaker, to) : condition(speaker, to, depth - 1)
    return { at: words.name(name), of }
  }
  const scalar = pick(chance, type.scalars)
  const of = compare(speaker, type, scalar)
  return { at: words.name(scalar.name), of: happens(chance, 10) ? { not: of } : of }
}
