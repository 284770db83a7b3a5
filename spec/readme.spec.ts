import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(__dirname, '..')
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

interface Report {
  readonly success: boolean
  readonly numPassedTests: number
  readonly testResults: readonly { readonly message: string }[]
}

describe('the suite of a host application in the README', () => {
  /** A host's project inside this one, so that it finds the same packages. */
  function makeProject(code: string): string {
    mkdirSync(join(root, '.tmp'), { recursive: true })
    const folder = mkdtempSync(join(root, '.tmp', 'readme-'))
    cpSync(join(root, 'content-types'), join(folder, 'content-types'), { recursive: true })
    writeFileSync(join(folder, 'host.spec.ts'), code)
    return folder
  }

  async function runSuite(code: string): Promise<Report> {
    const folder = makeProject(code)
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

  it('fails when the answer is another', async () => {
    const { success, testResults } = await runSuite(
      suite.replace("author: { name: 'Ada' }", "author: { name: 'Bob' }"),
    )
    expect(success).toBe(false)
    expect(testResults[0]?.message).toContain('an article shows its author')
  }, 60_000)
})
