import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

const root = join(__dirname, '..', '..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

interface Manifest {
  readonly files: readonly string[]
  readonly repository: { readonly url: string }
}

const { files, repository } = JSON.parse(read('package.json')) as Manifest
const home = repository.url.replace(/^git\+|\.git$/g, '')

/** npm packs `docs/*.md`, files, and folders with all that is in them. */
const isPacked = (path: string): boolean =>
  files.some((entry) =>
    entry.endsWith('/*.md')
      ? path.endsWith('.md') && dirname(path) === dirname(entry)
      : path === entry || path.startsWith(`${entry}/`),
  )

const pages = [
  ...['README.md', 'CHANGELOG.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join('docs', name))
    .filter((name) => name.endsWith('.md') && isPacked(name)),
]

interface Link {
  readonly page: string
  readonly target: string
}

/** Pictures are left out of the package, and npm shows those of the repository. */
const links = pages.flatMap((page): readonly Link[] =>
  [...read(page).matchAll(/(?<!!)\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ page, target })),
)

/** The names that GitHub gives the headings of a page. */
const placesOf = (page: string): readonly string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )

const isOutside = (target: string): boolean => /^([a-z]+:|#)/.test(target)

describe('the links of the pages in the package', () => {
  it('lead to files of the package, or to the repository', () => {
    const missing = links.filter(({ page, target }) => {
      const [path = ''] = posix.join(dirname(page), target).split('#')
      return !isOutside(target) && !(isPacked(path) && existsSync(join(root, path)))
    })
    expect(missing).toEqual([])
    expect(pages.length).toBeGreaterThan(70)
    expect(links.length).toBeGreaterThan(500)
  })

  it('lead to headings that the page has', () => {
    const missing = links.filter(({ page, target }) => {
      const [path = '', place] = target.split('#')
      const named = path === '' ? page : posix.join(dirname(page), path)
      return !/^[a-z]+:/.test(target) && place !== undefined && !placesOf(named).includes(place)
    })
    expect(missing).toEqual([])
  })

  it('lead to files that are in the repository', () => {
    const named = links.flatMap(({ page, target }) => {
      const [, kind, path] = target.startsWith(home)
        ? (/\/(blob|tree)\/main\/([^#]+)/.exec(target) ?? [])
        : []
      return path === undefined ? [] : [{ page, kind, path }]
    })
    expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([])
    expect(named.length).toBeGreaterThan(30)
  })
})
