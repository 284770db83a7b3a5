import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'qs'
import type { PermissionTable } from '../../../lib'
import { documentOf } from '../../../extensions/openapi'
import { typesForRole } from '../../../lib/http'
import { strapi5 } from '../../../extensions/strapi'
import { readTypes } from '../../../lib/config'
import { type Case, casesByGroup } from '../../corpus/replay'
import { documented, type Documented, type OpenApi, type Operation } from '../../support/documented'
import { recordingOf } from '../../support/recordings'

const recording = recordingOf('sqlite')
const given = JSON.parse(readFileSync(join(recording.folder, 'config.json'), 'utf8')) as {
  readonly permissions: PermissionTable
}

function documentFor(role: string): Documented {
  const config = { extensions: [strapi5()], contentTypes: recording.contentTypes, database: {}, ...given }
  const schema = readTypes(config)
  const { types, options } = typesForRole(config, schema, { role, table: given.permissions })
  const document = documentOf({ types, options }, schema, { url: '/api', hasIndex: false })
  return documented(JSON.parse(JSON.stringify(document)) as OpenApi)
}

const isListed = ({ path }: Operation, asked: readonly string[]): boolean => {
  const names = path.split('/').slice(1)
  return names.length === asked.length && names[0] === asked[0]
}

/** What no parameter of the document asks for changes the form of what is linked. */
const isBeyond = ({ request }: Case): boolean => /(\[|%5B)(count|pagination)(\]|%5D)/i.test(request)

describe('what a Strapi 5 answered', () => {
  const cases = [...casesByGroup(recording).values()].flat()

  it('is what the document of each role says', () => {
    const wrong: unknown[] = []
    let looked = 0
    for (const role of Object.keys(given.permissions)) {
      const { operations, faultsOf } = documentFor(role)
      for (const one of cases.filter((each) => each.role === role)) {
        const { request, expected, headers } = one
        const [path = '', text = ''] = request.split(/\?(.*)/s)
        const operation = operations.find((told) => isListed(told, path.split('/').slice(2)))
        if (expected === 'never 500' || expected.status !== 200) continue
        if (operation === undefined || headers !== undefined || isBeyond(one)) continue
        looked += 1
        const faults = faultsOf(operation, 200, expected.body)
        if (faults !== null) wrong.push({ request, query: parse(text), faults })
      }
    }
    expect(wrong).toEqual([])
    expect(looked).toBeGreaterThan(500)
  })
})
