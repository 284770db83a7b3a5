import fc, { type Arbitrary } from 'fast-check'
import { type Chance, chanceFrom } from '../../lab/requests/chance'

const upTo = (most: number): Arbitrary<number> => fc.nat(most)

/** What is made by luck, with fast-check for luck. */
export const drawn = <T>(make: (chance: Chance) => T): Arbitrary<T> =>
  fc.gen().map((g) => make((below) => g(upTo, below - 1)))

/** The same of what takes thousands of choices, each of which fast-check would take note of: it chooses the seed alone. */
export const drawnBySeed = <T>(make: (chance: Chance) => T): Arbitrary<T> =>
  fc.nat().map((seed) => make(chanceFrom(seed)))
