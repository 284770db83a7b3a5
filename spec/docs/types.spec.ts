import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import * as library from '../../lib'
import * as client from '../../lib/client'
import { startSample, type SampleSite } from '../support/sample-site'
import { problemsIn } from '../support/type-check'

const root = join(__dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'types.md'), 'utf8')

/** Each piece of code with what it prints. */
const examples = [...page.matchAll(/^```ts\n(.*?)^```\n\n```text\n(.*?)^```/gms)].map(
  ([, code = '', printed = '']) => ({ code, printed }),
)

/** The library as it is built, whose sources want more types than an example. */
const fromHere = (code: string): string =>
  code
    .replaceAll(`'express-content-router/client'`, `'../dist/lib/client'`)
    .replaceAll(`'express-content-router'`, `'../dist/lib'`)
    .replaceAll(`'./content'`, `'./client/sample-content'`)

const AsyncFunction = (async () => Promise.resolve()).constructor as new (
  ...parts: readonly string[]
) => (...values: readonly unknown[]) => Promise<void>

/** In a function, as a module of CommonJS waits for nothing at its top. */
async function print(code: string): Promise<string> {
  const lines: string[] = []
  const routers: library.ContentRouter[] = []
  const console = { log: (...told: unknown[]) => lines.push(told.join(' ')) }
  const contentRouter = (config: library.ContentRouterConfig): library.ContentRouter => {
    const router = library.contentRouter(config)
    routers.push(router)
    return router
  }
  const modules = new Map<string, unknown>([
    ['express-content-router', { ...library, contentRouter }],
    ['express-content-router/client', client],
  ])
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  })
  const run = new AsyncFunction('require', 'exports', 'console', outputText)
  await run((name: string) => modules.get(name), {}, console)
  await Promise.all(routers.map((router) => router.close()))
  return `${lines.join('\n')}\n`
}

describe('docs/types.md', () => {
  let site: SampleSite
  beforeAll(async () => {
    site = await startSample()
  }, 60_000)
  afterAll(() => site.stop())

  const atHome = (code: string): string =>
    code
      .replaceAll('http://localhost:3737', site.at)
      .replaceAll('./content-types', join(root, 'content-types'))
      .replaceAll('sample.db', join(root, '.tmp', `sample-${String(site.pid)}.db`))

  it('has examples, all with what they print', () => {
    expect(examples.length).toBe(page.match(/^```ts$/gm)?.length)
    expect(examples.length).toBeGreaterThan(3)
  })

  it.each(examples)('has an example that compiles, and prints $printed', async ({ code, printed }) => {
    expect(problemsIn(__dirname, fromHere(code))).toEqual([])
    expect(await print(atHome(code))).toBe(printed)
  })
})
