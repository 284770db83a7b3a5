import { type Scope } from './evaluate'
import {
  isStaticRecord,
  staticFunction,
  staticRecord,
  type StaticRecord,
  type StaticValue,
  unknownValue,
} from './static-value'

/** No name of a text holds it. */
const mark = '\u0000factory'

export type CoreFactory = 'createCoreRouter' | 'createCoreController' | 'createCoreService'

/** What a file makes with one of Strapi's own factories. */
export interface MadeByFactory {
  readonly factory: StaticValue
  readonly uid: StaticValue
  /** What the file says besides; undefined where it says nothing. */
  readonly besides: StaticValue
}

const make = (factory: CoreFactory): StaticValue =>
  staticFunction((given) =>
    given.length <= 2 ? staticRecord({ [mark]: factory, uid: given[0], besides: given[1] }) : unknownValue,
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

export function madeByFactory(value: StaticValue): MadeByFactory | null {
  if (!isStaticRecord(value) || !value.has(mark)) return null
  return { factory: value.get(mark), uid: value.get('uid'), besides: value.get('besides') }
}
