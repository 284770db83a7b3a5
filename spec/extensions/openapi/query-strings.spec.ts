import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { parse } from 'qs'
import { queryText } from '../../../lib/client/query-text'
import { runCommand } from '../../../lib/command/run'
import { documented, type Documented, type OpenApi, type Operation } from '../../support/documented'
import { examplesIn, requestOf, rowsIn } from '../../support/doc-examples'
import { type SampleSite, startSample } from '../../support/sample-site'
import { validQueries } from '../client/valid-queries'

const root = join(__dirname, '..', '..', '..')

type Part = Readonly<Record<string, unknown>>

interface Told {
  readonly parameters?: readonly (Part & { readonly in: string })[]
}

interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, { readonly get: Told }>>
}

async function documentOfSample(): Promise<Document> {
  const told: string[] = []
  const tell = (text: string): unknown => told.push(text)
  const words = ['openapi', '--content-types', join(root, 'content-types'), '--version', '3.2']
  expect(await runCommand(words, { print: tell, complain: tell })).toBe(0)
  return JSON.parse(told.join('\n')) as Document
}

const page = readFileSync(join(root, 'docs', 'queries.md'), 'utf8')
const shown = [
  ...examplesIn(page).map(({ request }) => request.path.replace(/^\/api\//, '')),
  ...rowsIn(page).map(requestOf),
]

/** The same may be written in more than one way, of which a document tells one; and no definition tells of named queries. */
const otherWays = /(fields|populate|sort)=[^&]*,|sort\[[a-z]|hasPublishedVersion|query=/

const asked = shown.filter((request) => request.includes('?') && !otherWays.test(request))

const refused = [
  'articles?fields=titel',
  'articles?filters[author][nam]=x',
  'articles?filters[$or][0][nope]=x',
  'articles?filters[tags][$some][nope]=x',
  'articles?filters[fee][$contains]=1',
  'articles?filters[sections][$some][on][story.nope][heading]=x',
  'articles?populate=nope',
  'articles?populate[author][populate][nope]=true',
  'articles?populate[sections][on][story.nope]=true',
  'articles?populate[author][filters][nope]=1',
  'articles?pagination[pageSize]=many',
  'articles?pagination[pagesize]=2',
  'articles?status=nope',
]

/** Those of articles that name no query of the host's, as a client writes them. */
const valid = validQueries
  .filter((code) => !code.includes('query:'))
  .map((code) => `articles?${queryText(runInNewContext(`(${code})`, { Date }) as object)}`)

describe('OpenAPI 3.2 of the sample', () => {
  let site: SampleSite
  let document: Document
  let described: Documented
  const validators = new Map<string, ValidateFunction>()

  beforeAll(async () => {
    site = await startSample()
    document = await documentOfSample()
    described = documented(document as unknown as OpenApi)
    const ajv = new Ajv2020({ strict: false, validateFormats: false, coerceTypes: true })
    ajv.addSchema(document, 'document')
    for (const [path, { get }] of Object.entries(document.paths)) {
      const pointer = `document#/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/get/parameters`
      const at = (get.parameters ?? []).findIndex((parameter) => parameter.in === 'querystring')
      const form = 'content/application~1x-www-form-urlencoded/schema'
      validators.set(path, ajv.compile({ $ref: `${pointer}/${String(at)}/${form}` }))
    }
  }, 240_000)
  afterAll(() => site.stop())

  function operationAt(path: string): Operation {
    const isAt = (told: string): boolean =>
      new RegExp(`^${told.replace(/\{\w+\}/g, '[^/]+')}$`).test(`/${path}`)
    const found = described.operations.find((one) => isAt(one.path))
    if (found === undefined) throw new Error(`nothing is told of ${path}`)
    return found
  }

  /** What is wrong with a query, by the document. */
  function faultsOf({ path }: Operation, text: string): unknown {
    const isValid = validators.get(path)
    if (isValid === undefined) throw new Error(`no query is told of ${path}`)
    return isValid(parse(text, { depth: 20, strictNullHandling: true })) ? null : isValid.errors
  }

  async function answerTo(request: string): Promise<{ readonly status: number; readonly body: unknown }> {
    const response = await fetch(`${site.at}/api/${request}`, { headers: { 'X-Role': 'editor' } })
    return { status: response.status, body: await response.json() }
  }

  it('has one parameter for all that stands behind the question mark', () => {
    expect(document.openapi).toBe('3.2.0')
    for (const { get } of Object.values(document.paths))
      expect((get.parameters ?? []).map((parameter) => parameter.in).filter((one) => one !== 'path')).toEqual(
        ['querystring'],
      )
  })

  it.each([
    ['docs/queries.md asks', asked],
    ['may be written with types', valid],
  ])(
    'allows what %s and is answered, says what the answer is, and refuses what is refused',
    async (_, all) => {
      const seen: unknown[] = []
      for (const request of all) {
        const { status, body } = await answerTo(request)
        const [path = '', text = ''] = request.split(/\?(.*)/s)
        const operation = operationAt(path)
        const isAllowed = faultsOf(operation, text) === null
        const faults = described.faultsOf(operation, status, body)
        if (isAllowed !== (status !== 400) || faults !== null) seen.push([request, status, isAllowed, faults])
      }
      expect(seen).toEqual([])
      expect(all.length).toBeGreaterThan(8)
    },
    120_000,
  )

  it.each(refused)('allows %s as little as the server', async (request) => {
    const [path = '', text = ''] = request.split(/\?(.*)/s)
    expect((await answerTo(request)).status).toBe(400)
    expect(faultsOf(operationAt(path), text)).not.toBeNull()
  })
})
