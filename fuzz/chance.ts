/** One half of a request's luck: the same seed makes the same requests. */
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

export const pick = <T>(chance: Chance, list: readonly T[]): T => list[chance(list.length)] as T
export const times = (chance: Chance, most: number, make: (index: number) => string): string[] =>
  Array.from({ length: 1 + chance(most) }, (_, index) => make(index))
