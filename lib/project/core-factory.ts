import { type Scope } from './evaluate'
import {
  staticFunction,
  staticRecord,
  type StaticRecord,
  type StaticValue,
  unknownRest,
  unknownValue,
} from './static-value'

export type CoreFactory = 'createCoreRouter' | 'createCoreController' | 'createCoreService'

/** What a file makes with one of Strapi's own factories. Whoever takes it apart has what only running it would tell. */
export class MadeByFactory extends Map<string, StaticValue> {
  constructor(
    readonly factory: CoreFactory,
    readonly uid: StaticValue,
    /** What the file says besides; undefined where it says nothing. */
    readonly besides: StaticValue,
  ) {
    super([[unknownRest, unknownValue]])
  }
}

const make = (factory: CoreFactory): StaticValue =>
  staticFunction((given) =>
    given.length <= 2 ? new MadeByFactory(factory, given[0], given[1]) : unknownValue,
  )

const factories = staticRecord({
  createCoreRouter: make('createCoreRouter'),
  createCoreController: make('createCoreController'),
  createCoreService: make('createCoreService'),
})

const strapi: StaticRecord = new Map([['factories', factories]])

/** All that a file of a type needs to be no more than what Strapi itself brings. */
export const factoryScope: Scope = {
  names: new Map([
    ['require', staticFunction(([name]) => (name === '@strapi/strapi' ? strapi : unknownValue))],
  ]),
  modules: new Map([['@strapi/strapi', strapi]]),
}

export const madeByFactory = (value: StaticValue): MadeByFactory | null =>
  value instanceof MadeByFactory ? value : null
