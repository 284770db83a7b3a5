/** The luck by which requests are made, a number below another at a time: equal luck makes equal requests. */
export type Chance = (below: number) => number

export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export const happens = (chance: Chance, percent: number): boolean => chance(100) >= 100 - percent
export const pick = <T>(chance: Chance, list: readonly T[]): T => list[chance(list.length)] as T
export const times = <T>(chance: Chance, least: number, most: number, make: (index: number) => T): T[] =>
  Array.from({ length: least + chance(most - least + 1) }, (_, index) => make(index))

/** Some of a list, in random order, none twice. */
export function some<T>(chance: Chance, list: readonly T[], most: number): T[] {
  const left = [...list]
  return times(chance, 0, Math.min(most, left.length), () => left.splice(chance(left.length), 1)[0] as T)
}
