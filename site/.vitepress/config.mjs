import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { deadPlaces, makeLinkOf, placeOf } from './links.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { repository, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const home = repository.url.replace(/^git\+|\.git$/g, '')

const chapters = {
  'Getting started': [
    'start',
    'first-steps',
    'queries',
    'options',
    'permissions',
    'rules',
    'extensions',
    'types',
    'openapi',
    'explorer',
    'recipes',
    'clients',
  ],
  Content: ['definitions', 'tables', 'seed', 'nested-pages'],
  'With Strapi': ['strapi'],
  Operation: ['operations', 'databases', 'freshness', 'performance', 'security'],
  'How it is made': ['architecture', 'specification'],
}

const names = readdirSync(join(root, 'docs')).flatMap((file) => /^(.*)\.md$/.exec(file)?.slice(1) ?? [])
const told = Object.values(chapters).flat()
const pages = ['README.md', 'CHANGELOG.md', ...names.map((name) => `docs/${name}.md`)]
const linkOf = makeLinkOf({ root, repository: home, isPage: (name) => pages.includes(name) })

const titleOf = (name) => /^# (.*)/m.exec(readFileSync(join(root, 'docs', `${name}.md`), 'utf8'))?.[1] ?? name
const item = (name) => ({ text: titleOf(name), link: `/docs/${name}` })
const chapter = ([text, listed]) => ({ text, items: listed.filter((name) => names.includes(name)).map(item) })
// A page that no chapter knows is still found.
const others = { text: 'More', items: names.filter((name) => !told.includes(name)).map(item) }
const isFull = ({ items }) => items.length > 0

// Vue is looked for from where a page lies, so the pages have to lie in this folder.
const copies = fileURLToPath(new URL('../pages', import.meta.url))
rmSync(copies, { recursive: true, force: true })
for (const page of pages) cpSync(join(root, page), join(copies, page === 'README.md' ? 'index.md' : page))

cpSync(join(root, 'docs', 'pictures'), join(copies, 'docs', 'pictures'), { recursive: true })

export default defineConfig({
  title: 'express-content-router',
  description,
  srcDir: copies,
  outDir: fileURLToPath(new URL('../dist', import.meta.url)),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: placeOf },
    config: (markdown) => {
      const open =
        markdown.renderer.rules.link_open ??
        ((tokens, at, options, _, self) => self.renderToken(tokens, at, options))
      markdown.renderer.rules.link_open = (tokens, at, options, env, self) => {
        const page = env.relativePath === 'index.md' ? 'README.md' : env.relativePath
        const href = tokens[at].attrGet('href')
        if (href !== null) tokens[at].attrSet('href', linkOf(page, href).replace(/README\.md$/, 'index.md'))
        return open(tokens, at, options, env, self)
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Query language', link: '/docs/queries' },
      { text: 'Options', link: '/docs/options' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: [
      { text: 'Overview', link: '/' },
      ...[...Object.entries(chapters).map(chapter), others].filter(isFull),
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    socialLinks: [{ icon: 'github', link: home }],
  },
  buildEnd: ({ outDir }) => {
    const dead = deadPlaces(outDir)
    if (dead.length > 0) throw new Error(`dead links:\n${dead.join('\n')}`)
  },
})
