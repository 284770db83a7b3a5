import { lstatSync, readFileSync } from 'node:fs'

/** No person writes more into one file, and parsing takes far more memory than the text does. */
const longestCode = 1_000_000
const longestTogether = 4_000_000

/** What a file holds, or why it was not read. */
export type CodeText = { readonly text: string } | { readonly unread: string }

export type ReadCode = (path: string) => CodeText

/** Nobody is told why, as the reason names places of this machine. */
export function readCodeText(path: string): CodeText {
  try {
    const stat = lstatSync(path)
    // Strapi's loaders do not follow it, either.
    if (!stat.isFile()) return { unread: 'is a link' }
    if (stat.size > longestCode) return { unread: 'is over 1 MB' }
    return { text: readFileSync(path, 'utf8') }
  } catch {
    return { unread: 'cannot be read' }
  }
}

/** Reads files of one project, none that is too long and not too many of them. */
export function codeReader(): ReadCode {
  let left = longestTogether
  return (path) => {
    const size = lstatSync(path).size
    if (size <= longestCode && size > left) return { unread: 'stands behind 4 MB of code' }
    const code = readCodeText(path)
    if ('text' in code) left -= size
    return code
  }
}
