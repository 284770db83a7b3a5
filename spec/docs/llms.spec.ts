import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(__dirname, '..', '..')

/** The site is built of ES modules, which Jest does not load. */
function madeText(): string {
  const module = pathToFileURL(join(root, 'site', '.vitepress', 'llms.mjs')).href
  const code = `import { llmsText } from '${module}'; process.stdout.write(llmsText(process.cwd()))`
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, encoding: 'utf8' })
}

const start =
  /^- \[[^\]]+\]\(https:\/\/raw\.githubusercontent\.com\/[^/]+\/express-content-router\/main\/(docs\/[^)]+)\): (.*)$/

describe('llms.txt of the site', () => {
  const text = madeText()
  const lines = text.split('\n').filter((line) => line.startsWith('- '))
  const pages = lines.map((line) => start.exec(line) ?? ['', line, ''])

  it('has the title, a description and the chapters for users', () => {
    expect(text).toMatch(/^# express-content-router\n\n> \S.*\.\n\n## Start\n\n- \[/)
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, chapter]) => chapter)).toEqual([
      ...['Start', 'Tutorials', 'How to', 'Reference', 'Concepts'],
    ])
  })

  it('links the Markdown of each page', () => {
    const named = pages.map(([, path = '']) => path)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const folders = ['start', 'tutorials', 'how-to', 'reference', 'concepts']
    const files = folders.flatMap((folder) =>
      readdirSync(join(root, 'docs', folder)).map((file) => `docs/${folder}/${file}`),
    )
    expect([...named].sort()).toEqual(files.sort())
  })

  it('has the first sentence of each page, without markup', () => {
    const odd = pages
      .map(([, , sentence = '']) => sentence)
      .filter((one) => !/^[\p{L}`](?!.*(?:\]\(|\*\*|\|)).+\.$/u.test(one))
    expect(odd).toEqual([])
  })
})
