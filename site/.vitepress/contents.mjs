import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The chapters of docs/README.md, with the path of each page. */
export function readContents(root) {
  const { repository, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const home = repository.url.replace(/^git\+|\.git$/g, '')
  const chapters = readFileSync(join(root, 'docs', 'README.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((chapter) => ({
      text: chapter.slice(0, chapter.indexOf('\n')),
      items: [...chapter.matchAll(/^- \[(.+)\]\((.+)\.md\)$/gm)].map(([, text, name]) => ({
        text,
        link: `/docs/${name.replace(`${home}/blob/main/docs/`, '')}`,
      })),
    }))
  return { description, home, chapters }
}

/** The files of the main branch as they are, for pictures and for assistants. */
export const rawFiles = (home) => `${home.replace('//github.com/', '//raw.githubusercontent.com/')}/main`
