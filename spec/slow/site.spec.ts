import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const built = join(root, 'site', 'dist')
const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  /^(?!README|decisions).*\.md$/.test(file),
)

/** What the build says when it fails. */
async function faultOf(building: Promise<unknown>): Promise<string> {
  try {
    await building
    return ''
  } catch (error) {
    return (error as { readonly stderr: string }).stderr
  }
}

describe('the site of the docs', () => {
  let copy = ''
  beforeAll(async () => {
    await run('npm', ['run', 'docs'], { cwd: root })
    mkdirSync(join(root, '.tmp'), { recursive: true })
    copy = mkdtempSync(join(root, '.tmp', 'site-'))
    mkdirSync(join(copy, 'docs', 'pictures'), { recursive: true })
    cpSync(join(root, 'site', '.vitepress'), join(copy, 'site', '.vitepress'), { recursive: true })
    for (const file of ['package.json', 'site/package.json']) cpSync(join(root, file), join(copy, file))
    writeFileSync(join(copy, 'CHANGELOG.md'), '# Changes\n')
    writeFileSync(join(copy, 'docs', 'README.md'), '# Documentation\n')
    symlinkSync(join(root, 'site', 'node_modules'), join(copy, 'site', 'node_modules'))
  }, 300_000)
  afterAll(() => {
    rmSync(copy, { recursive: true, force: true })
  })

  it('has a page for the README, the changes and each page of docs', () => {
    const pages = ['index', 'CHANGELOG', ...docs.map((file) => `docs/${file.slice(0, -'.md'.length)}`)]
    expect(pages.filter((page) => !existsSync(join(built, `${page}.html`)))).toEqual([])
  })

  it('has an index for assistants', () => {
    expect(readFileSync(join(built, 'llms.txt'), 'utf8')).toContain('- [Quick start](https://')
  })

  // A block that is only indented has no box to scroll in: the page itself would scroll sideways.
  it('shows all code in fences', () => {
    const indented = docs.filter((file) => {
      const text = readFileSync(join(root, 'docs', file), 'utf8').replaceAll(/^```.*?^```/gms, '')
      return /\n\n {4}\S/.test(text)
    })
    expect(indented).toEqual([])
  })

  it('is searched by what its pages say', () => {
    const chunks = readdirSync(join(built, 'assets', 'chunks')).filter((file) =>
      file.startsWith('@localSearchIndex'),
    )
    expect(chunks).toHaveLength(1)
    const index = readFileSync(join(built, 'assets', 'chunks', chunks[0] ?? ''), 'utf8')
    expect(['maxLinks', 'nestedPagination'].filter((word) => !index.includes(word.toLowerCase()))).toEqual([])
  })

  it('leads to the repository where a link of a page leads to a file of it', () => {
    const page = readFileSync(join(built, 'docs', 'concepts', 'security.html'), 'utf8')
    expect(page).toMatch(/href="https:\/\/[^"]+\/blob\/main\/SECURITY\.md"/)
  })

  it.each([
    ['a page', '[there](docs/nowhere.md)', 'docs/nowhere.md, which is not there'],
    ['a file', '[there](lib/nowhere.ts)', 'lib/nowhere.ts, which is not there'],
    ['a place of a page', '[there](CHANGELOG.md#nowhere)', 'CHANGELOG.html#nowhere'],
  ])(
    'is not built where a link leads to %s that is not there',
    async (_, link, said) => {
      writeFileSync(join(copy, 'README.md'), `# Home\n\n${link}\n`)
      const build = run(join(copy, 'site', 'node_modules', '.bin', 'vitepress'), ['build'], {
        cwd: join(copy, 'site'),
      })
      expect(await faultOf(build)).toContain(said)
    },
    120_000,
  )
})
