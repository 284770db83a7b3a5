import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const suite = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? ''

const config = {
  testMatch: ['**/*.spec.ts'],
  testEnvironment: 'node',
  transform: {
    '\\.ts$': [require.resolve('@swc/jest'), { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
  },
  moduleNameMapper: { '^express-content-router$': join(root, 'lib', 'index.ts') },
}

/** Node's own test runner, for what names a suite takes from jest. */
const nodeRunner = `import { after as afterAll, before as beforeAll, test } from 'node:test'
import { expect } from 'expect'
`

interface Report {
  readonly success: boolean
  readonly numPassedTests: number
  readonly testResults: readonly { readonly message: string }[]
}

describe('the suite of a host application in the README', () => {
  /** A host's project inside this one, so that it finds the same packages. */
  function makeProject(file: string, code: string): string {
    mkdirSync(join(root, '.tmp'), { recursive: true })
    const folder = mkdtempSync(join(root, '.tmp', 'readme-'))
    cpSync(join(root, 'content-types'), join(folder, 'content-types'), { recursive: true })
    writeFileSync(join(folder, file), code)
    return folder
  }

  async function runSuite(code: string): Promise<Report> {
    const folder = makeProject('host.spec.ts', code)
    const settings = JSON.stringify({ ...config, rootDir: folder })
    try {
      const jest = [require.resolve('jest/bin/jest'), '--config', settings, '--json', '--silent']
      const { stdout } = await run(process.execPath, jest, { cwd: folder }).catch(
        (error: unknown) => error as { stdout: string },
      )
      return JSON.parse(stdout) as Report
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it('passes, word for word', async () => {
    const { success, numPassedTests, testResults } = await runSuite(suite)
    expect({ success, numPassedTests, messages: testResults.map(({ message }) => message) }).toEqual({
      success: true,
      numPassedTests: 1,
      messages: [''],
    })
  }, 60_000)

  // Whatever compiles TypeScript to CommonJS is easier about imports than Node is.
  it('passes as an ES module of Node', async () => {
    if (!existsSync(join(root, 'dist', 'lib', 'index.js'))) throw new Error('run `npm run build` first')
    const folder = makeProject('host.mjs', nodeRunner + suite)
    try {
      const { stdout } = await run(process.execPath, ['--test-reporter=tap', join(folder, 'host.mjs')])
      expect(stdout).toMatch(/^# pass 1$/m)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }, 60_000)

  it('fails when the answer is another', async () => {
    const { success, testResults } = await runSuite(
      suite.replace("author: { name: 'Ada' }", "author: { name: 'Bob' }"),
    )
    expect(success).toBe(false)
    expect(testResults[0]?.message).toContain('an article shows its author')
  }, 60_000)
})
