import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectFolder } from '../support/project-folder'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const read = (...names: readonly string[]): string => readFileSync(join(root, ...names), 'utf8')

const oldest = '5.3.3'

const options = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, target: 'es2022', lib: ['es2022', 'dom'] },
    ...{ module: 'esnext', moduleResolution: 'bundler', types: [] },
    ...{ baseUrl: '.' },
    paths: {
      'express-content-router': [join(root, 'dist', 'lib')],
      'express-content-router/client': [join(root, 'dist', 'extensions', 'client')],
    },
  },
  include: ['*.ts'],
}

const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--prefer-offline', '--loglevel=error']

describe('the oldest TypeScript', () => {
  const page = ['typescript-api', 'client', 'javascript-api']
    .map((name) => read('docs', 'reference', `${name}.md`))
    .join('\n')
  const examples = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code)
  const files = examples.map((code, at): [string, string] => [
    `example-${String(at)}.ts`,
    `${code}export {}\n`,
  ])
  const { path, write } = projectFolder({
    'tsconfig.json': JSON.stringify(options),
    'content.ts': read('spec', 'extensions', 'client', 'sample-content.ts'),
    ...Object.fromEntries(files),
  })
  beforeAll(async () => {
    await run('npm', ['install', ...quiet, `typescript@${oldest}`], { cwd: path })
  }, 120_000)

  const compile = (): Promise<string> =>
    run(process.execPath, [join(path, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', path]).then(
      () => '',
      (error: unknown) => (error as { readonly stdout: string }).stdout,
    )

  it('is the one that the page names', () => {
    expect(page).toContain(`for TypeScript ${oldest.slice(0, 3)} and later`)
  })

  it('compiles the examples of docs/reference, and finds what is wrong in them', async () => {
    expect(files.length).toBeGreaterThan(3)
    expect(await compile()).toBe('')
    const [name = '', code = ''] = files.find(([, text]) => text.includes(`'title'`)) ?? []
    write({ [name]: code.replace(`'title'`, `'titel'`) })
    expect(await compile()).toContain('titel')
  }, 60_000)
})
