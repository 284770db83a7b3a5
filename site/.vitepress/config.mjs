import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { rawFiles, readContents } from './contents.mjs'
import { deadPlaces, makeLinkOf, placeOf } from './links.mjs'
import { llmsText } from './llms.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { home, description, chapters } = readContents(root)

/** npm packs no pictures, so pages name those of the repository. The site serves its own copies. */
const pictures = `${rawFiles(home)}/docs/pictures/`

const pages = [
  'README.md',
  'CHANGELOG.md',
  ...chapters.flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`)),
]
const linkOf = makeLinkOf({ root, repository: home, isPage: (name) => pages.includes(name) })

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
        if (href !== null)
          tokens[at].attrSet('href', linkOf(page, href).replace(/^(?!https?:)(.*)README\.md$/, '$1index.md'))
        return open(tokens, at, options, env, self)
      }
      const { image } = markdown.renderer.rules
      markdown.renderer.rules.image = (tokens, at, options, env, self) => {
        const folder = env.relativePath === 'index.md' ? 'docs/' : '../'
        const source = tokens[at].attrGet('src')
        tokens[at].attrSet('src', source.replace(pictures, `${folder}pictures/`))
        return image(tokens, at, options, env, self)
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Query parameters', link: '/docs/reference/query-parameters' },
      { text: 'Options', link: '/docs/reference/options' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: [{ text: 'Overview', link: '/' }, ...chapters, { text: 'Changes', link: '/CHANGELOG' }],
    socialLinks: [{ icon: 'github', link: home }],
  },
  buildEnd: ({ outDir }) => {
    writeFileSync(join(outDir, 'llms.txt'), llmsText(root))
    const dead = deadPlaces(outDir)
    if (dead.length > 0) throw new Error(`dead links:\n${dead.join('\n')}`)
  },
})
