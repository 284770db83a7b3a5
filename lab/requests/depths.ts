import { type Chance, pick } from './chance'
import { text } from './hostile-texts'
import type { Speaker } from './speaker'
import { type KnownType, type Passable, passable, type Vocabulary } from './vocabulary'

/** The types that links lead on from without end. */
function endless(types: Vocabulary): ReadonlySet<KnownType> {
  const left = new Set(types.values())
  for (let before = Infinity; left.size < before;) {
    before = left.size
    for (const type of left) if (!passable(type).some(({ to }) => left.has(to))) left.delete(type)
  }
  return left
}

/** Names of links, each of the type that the one before leads to; now and then of another. */
function wayDown({ chance, types }: Speaker, from: KnownType, most: number): readonly string[] {
  const leadsOn = endless(types)
  const names: string[] = []
  let place = from
  while (names.length < most) {
    const onwards: readonly Passable[] = passable(place).filter(({ to }) => leadsOn.has(to))
    if (onwards.length === 0) return [...names, 'author']
    const { name, to } = pick(chance, onwards)
    names.push(chance(4_000) === 0 ? text(chance) : name)
    place = to
  }
  return names
}

/** Shorter than the longest text that a query may have. */
const longest = 49_000

/** Around the deepest that is allowed, and as far beyond as a text is long. */
function depth(chance: Chance): number {
  const far = 2 ** (3 + chance(12))
  return pick(chance, [240 + chance(20), 490 + chance(20), 510 + chance(1_500), far + chance(far)])
}

/** So much of it as is not too long, and no bracket is left open. */
const cut = (key: string): string =>
  key.length > longest ? key.slice(0, longest).replace(/\[[^\]]*$/, '') : key

const between = ['', '', '', '[$not]', '[$and][0]', '[$or][1]', '[$and][1][$not]']

function conditions(chance: Chance, key: string, names: readonly string[]): string {
  const groups = chance(2) === 0 ? [pick(chance, between)] : between
  return cut(key + names.map((name) => `${pick(chance, groups)}[${name}]`).join(''))
}

const populated = (names: readonly string[]): string =>
  cut(`populate${names.map((name) => `[${name}][populate]`).join('')}`)

/** What stands at the end of a way down. */
function end(chance: Chance, key: string, names: readonly string[]): string {
  const dotted = names.join('.').slice(0, longest - key.length)
  const way = chance(8)
  if (way === 0) return `${key}=*`
  if (way === 1) return `${key}[0]=${dotted}`
  return way === 2 ? `${key}[0]=${dotted}&${key}[1]=${dotted.slice(0, 100)}` : `${key}=${dotted}`
}

const ofPages = '[sections][on][shared.related][populate][articles][populate][landingPage][populate]'
const senseless = [
  '[$not]',
  '[$or][0]',
  '[$and][1]',
  '[author]',
  '[]',
  '[0]',
  '[a',
  '[on][shared.quote]',
  ofPages,
]

function repeated(chance: Chance, times: number): string {
  const key = pick(chance, ['filters', 'populate', 'populate', 'sort', 'fields'])
  return `${cut(key + pick(chance, senseless).repeat(times))}=${text(chance)}`
}

/** One way down, in one notation or several. */
export function abyss(speaker: Speaker, type: KnownType): string {
  const { chance } = speaker
  const names = wayDown(speaker, type, depth(chance))
  const at = chance(names.length)
  const [above, below] = [names.slice(0, at), names.slice(at)]
  switch (chance(9)) {
    case 0:
      return repeated(chance, names.length)
    case 1:
      return `${conditions(chance, 'filters', names)}[id][$notNull]=true`
    case 2:
      return `${conditions(chance, `${populated(above)}[${below[0] ?? ''}][filters]`, below.slice(1))}[id]=1`
    case 3:
      return `sort=${names.join('.').slice(0, longest)}.id`
    case 4:
      return `${cut(`sort${names.map((name) => `[${name}]`).join('')}`)}[id]=asc`
    case 5:
      return end(chance, 'populate', names)
    case 6:
      return end(chance, populated(above), ['localizations'])
    default:
      return end(chance, populated(above), below)
  }
}
