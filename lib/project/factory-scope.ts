import { type CoreFactory, MadeByFactory } from './made-by-factory'
import type { Scope } from './scope'
import { staticFunction, staticRecord, type StaticValue, unknownValue } from './static-value'

const make = (factory: CoreFactory): StaticValue =>
  staticFunction((given) =>
    given.length <= 2 ? new MadeByFactory(factory, given[0], given[1]) : unknownValue,
  )

const factories = staticRecord({
  createCoreRouter: make('createCoreRouter'),
  createCoreController: make('createCoreController'),
  createCoreService: make('createCoreService'),
})

const strapi = staticRecord({ factories })

/** All that a file of a type needs to be no more than what Strapi itself brings. */
export const factoryScope: Scope = {
  names: new Map([
    ['require', staticFunction(([name]) => (name === '@strapi/strapi' ? strapi : unknownValue))],
  ]),
  modules: new Map([['@strapi/strapi', strapi]]),
}
