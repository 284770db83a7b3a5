import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import * as client from '../lib/client'
import { startSample, type SampleSite } from './support/sample-site'
import { problemsIn } from './support/type-check'

const page = readFileSync(join(__dirname, '..', 'docs', 'types.md'), 'utf8')

/** Each piece of code with what it prints. */
const examples = [...page.matchAll(/^```ts\n(.*?)^```\n\n```text\n(.*?)^```/gms)].map(
  ([, code = '', printed = '']) => ({ code, printed }),
)

const fromHere = (code: string): string =>
  code
    .replaceAll(`'express-content-router/client'`, `'../lib/client'`)
    .replaceAll(`'./content'`, `'./client/sample-content'`)

/** In a function, as a module of CommonJS waits for nothing at its top. */
async function print(code: string): Promise<string> {
  const lines: string[] = []
  const console = { log: (...told: unknown[]) => lines.push(told.join(' ')) }
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  })
  const AsyncFunction = (async () => Promise.resolve()).constructor as new (
    ...parts: readonly string[]
  ) => (...values: readonly unknown[]) => Promise<void>
  await new AsyncFunction('require', 'exports', 'console', outputText)(() => client, {}, console)
  return `${lines.join('\n')}\n`
}

describe('docs/types.md', () => {
  let site: SampleSite
  beforeAll(async () => {
    site = await startSample()
  }, 60_000)
  afterAll(() => site.stop())

  it('has examples, all with what they print', () => {
    expect(examples.length).toBe(page.match(/^```ts$/gm)?.length)
    expect(examples.length).toBeGreaterThan(3)
  })

  it.each(examples)('has an example that compiles, and prints $printed', async ({ code, printed }) => {
    expect(problemsIn(__dirname, fromHere(code))).toEqual([])
    expect(await print(code.replaceAll('http://localhost:3737', site.at))).toBe(printed)
  })
})
