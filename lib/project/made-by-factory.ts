import { type StaticValue, unknownRest, unknownValue } from './static-value'

export type CoreFactory = 'createCoreRouter' | 'createCoreController' | 'createCoreService'

/** What a file makes with one of Strapi's own factories. Whoever takes it apart has what only running it would tell. */
export class MadeByFactory extends Map<string, StaticValue> {
  #uid: StaticValue
  #besides: StaticValue

  constructor(
    readonly factory: CoreFactory,
    uid: StaticValue,
    besides: StaticValue,
  ) {
    super([[unknownRest, unknownValue]])
    this.#uid = uid
    this.#besides = besides
  }

  get uid(): StaticValue {
    return this.#uid
  }

  /** What the file says besides; undefined where it says nothing. */
  get besides(): StaticValue {
    return this.#besides
  }

  /** Somebody may have changed it. Goes out: what it held. */
  spoil(): readonly StaticValue[] {
    const held: readonly StaticValue[] = [this.#besides]
    this.#uid = unknownValue
    this.#besides = unknownValue
    return held
  }
}

export const madeByFactory = (value: StaticValue): MadeByFactory | null =>
  value instanceof MadeByFactory ? value : null
