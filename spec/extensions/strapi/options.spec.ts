import { fromDatabase, strapi5, strapiAuth, strapiProject } from '../../../extensions/strapi'
import { ConfigError, contentRouter, type ContentRouterConfig } from '../../../lib'
import { asStrapi } from '../../support/as-strapi'
import { library } from '../../support/library'

const memory = { client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true }

function faultsOf(options: Readonly<Record<string, unknown>>): readonly string[] {
  const config = { contentTypes: library, database: memory, logger: false, ...options }
  try {
    void contentRouter(config as ContentRouterConfig).close()
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map(({ where, problem }) => `${where} ${problem}`)
  }
}

describe('options of strapi5', () => {
  it.each([
    [{ serve: 'book' }, 'strapi5.serve the option serve must be a list of types or *'],
    [{ serve: ['boook'] }, 'strapi5.serve there is no type boook'],
    [
      { customFields: { 'plugin::own.facts': 'relation' } },
      'strapi5.customFields customFields must be an object with a storage type for each custom field',
    ],
    [
      { privateAttributes: 'createdAt' },
      'strapi5.privateAttributes privateAttributes must be a list of names',
    ],
    [
      { privateAttributes: ['score', ''] },
      'strapi5.privateAttributes privateAttributes must be a list of names',
    ],
    [{ routes: 'no' }, 'strapi5.routes the option routes must be true or false'],
    [{ artefacts: false }, 'strapi5.artefacts the option artefacts does not exist'],
  ])('are checked at start: %j', (options, fault) => {
    expect(faultsOf({ extensions: [strapi5(options as object)] })).toEqual([fault])
  })

  it('are given once', () => {
    expect(faultsOf({ extensions: [strapi5(), strapi5({ routes: false })] })).toEqual([
      'extensions[1] strapi5 is listed twice',
    ])
  })

  it('are optional', () => {
    const { defaults } = strapi5()
    expect(defaults).toEqual({
      ...asStrapi.defaults,
      customFields: {},
      privateAttributes: [],
      localeType: true,
    })
    expect(faultsOf({ extensions: [strapi5({ serve: ['book'] })] })).toEqual([])
  })
})

describe('options of fromDatabase', () => {
  it.each([
    [{ maxAge: NaN }, 'permissions.maxAge the option maxAge must be a number of milliseconds, 0 or higher'],
    [{ maxAge: -1 }, 'permissions.maxAge the option maxAge must be a number of milliseconds, 0 or higher'],
    [{ rules: [] }, 'permissions.rules the option rules must be an object with a key for each role'],
    [{ rules: { public: { boook: true } } }, 'permissions.rules.public.boook there is no type boook'],
    [{ maxage: 5 }, 'permissions.maxage the option maxage does not exist'],
  ])('are checked at start: %j', (options, fault) => {
    expect(faultsOf({ permissions: fromDatabase(options as object) })).toEqual([fault])
  })

  it('are optional', () => {
    expect(faultsOf({ permissions: fromDatabase() })).toEqual([])
    expect(faultsOf({ permissions: fromDatabase({ maxAge: Infinity }) })).toEqual([])
  })
})

it('strapiAuth and strapiProject without their arguments are refused', () => {
  expect(faultsOf({ role: (strapiAuth as () => unknown)() })).toEqual([
    'role.jwtSecret the secret is not set',
    'role.apiTokenSalt the secret is not set',
  ])
  expect(() => (strapiProject as () => unknown)()).toThrow('strapiProject: strapiProject requires a folder')
})
