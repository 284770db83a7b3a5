import { openapi } from '../../../extensions/openapi'
import { contentRouter } from '../../../lib'
import { library } from '../../support/library'

const memory = { client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true }

describe('options of openapi', () => {
  it.each([
    [{ version: '3.2' }, 'openapi.version: the option version does not exist'],
    [
      { path: 'docs.json' },
      `openapi.path: the option path must start with / (write a path such as '/openapi.json')`,
    ],
    [{ path: 5 }, `openapi.path: the option path must start with / (write a path such as '/openapi.json')`],
  ])('are checked at start: %j', (options, fault) => {
    const extensions = [openapi(options as object)]
    expect(() =>
      contentRouter({ contentTypes: library, database: memory, logger: false, extensions }),
    ).toThrow(fault)
  })
})
