import { UnreadableText } from './parse-module'

/** No person writes a file that takes more: each costs time, and most of them memory. */
const stepsOfFile = 200_000
const stepsTogether = 2_000_000

/** What there is left to be spent on the files of a project, which may make much out of few letters. */
export class ReadingBudget {
  #left: number
  readonly #together: ReadingBudget | null

  constructor(left = stepsTogether, together: ReadingBudget | null = null) {
    this.#left = left
    this.#together = together
  }

  ofFile(): ReadingBudget {
    return new ReadingBudget(stepsOfFile, this)
  }

  get isSpent(): boolean {
    return this.#left < 0 || this.#together?.isSpent === true
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#together !== null) this.#together.#left -= steps
    if (this.isSpent) throw new UnreadableText('it takes too many steps')
  }

  /** The stack ended before the steps did. */
  exhaust(): void {
    this.#left = -1
  }
}
