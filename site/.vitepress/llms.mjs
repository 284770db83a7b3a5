import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rawFiles, readContents } from './contents.mjs'

const withoutMarkup = (markdown) =>
  markdown
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/\*\*/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** The first sentence of the text of a page, without code, tables and lists in front of it. */
function firstSentence(page) {
  const blocks = page.replaceAll(/^```.*?^```/gms, '').split(/\n{2,}/)
  const paragraph = withoutMarkup(blocks.find((block) => /^[\p{L}`[]/u.test(block)) ?? '')
  const [sentence = ''] = /^.+?[.:](?= \p{Lu}| `|$)/u.exec(paragraph) ?? []
  return sentence.replace(/:$/, '.')
}

/** An index of the docs for assistants, by the convention of llmstxt.org. Its links lead to Markdown. */
export function llmsText(root) {
  const { description, home, chapters } = readContents(root)
  const lineOf = ({ text, link }) => {
    const page = readFileSync(join(root, `${link}.md`), 'utf8')
    return `- [${text}](${rawFiles(home)}${link}.md): ${firstSentence(page)}`
  }
  const shown = chapters.filter(({ text }) => text !== 'Contributing')
  const lists = shown.map(({ text, items }) => [`## ${text}`, items.map(lineOf).join('\n')])
  return [`# express-content-router`, `> ${description}`, ...lists.flat()].join('\n\n') + '\n'
}
