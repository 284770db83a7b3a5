import { foldText, type Term, wordPattern } from './search-text'

/** Characters of the text in a fragment. */
const longest = 160
/** Characters before the first hit. */
const lead = 40

interface Word {
  readonly start: number
  readonly end: number
  readonly folded: string
}

const wordsOf = (text: string): readonly Word[] =>
  [...text.matchAll(wordPattern)].map(({ index, 0: word }) => ({
    start: index,
    end: index + word.length,
    folded: foldText(word),
  }))

/** The places of the words that a term has found. */
function placesOf(words: readonly Word[], { words: asked, isPrefix }: Term): readonly number[] {
  const folded = asked.map(foldText)
  const last = folded.length - 1
  const isAt = (from: number): boolean =>
    folded.every((word, at) => {
      const found = words[from + at]?.folded
      return found === word || (isPrefix && at === last && found?.startsWith(word) === true)
    })
  return words.flatMap((_, from) => (isAt(from) ? folded.map((_word, at) => from + at) : []))
}

const escapes: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;' },
  ...{ '"': '&quot;', "'": '&#39;' },
}
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)

/** Cuts between words around the first hit. A word that is too long is cut inside. */
function boundsOf(
  text: string,
  words: readonly Word[],
  { start: hit }: Word,
): readonly [from: number, to: number] {
  if (text.length <= longest) return [0, text.length]
  const from = hit <= lead ? 0 : (words.find(({ start }) => start >= hit - lead)?.start ?? hit)
  // Both ends may have a sign for the text that is left out.
  const most = from + longest - 2
  if (text.length <= most) return [from, text.length]
  const to = words.findLast(({ end }) => end <= most)?.end ?? most
  return [from, to > hit ? to : most]
}

const formsIn = (marked: string): readonly string[] =>
  [...marked.matchAll(/<([^>]*)>/g)].map(([, form = '']) => foldText(form))

/** A fragment of the text as HTML, with the hits in `<mark>`; null without a hit. `marked` has `<` and `>` around other forms. */
export function highlight(text: unknown, terms: readonly Term[], marked: unknown = null): string | null {
  if (typeof text !== 'string') return null
  const words = wordsOf(text)
  const forms = new Set(typeof marked === 'string' ? formsIn(marked) : [])
  const places = new Set(terms.flatMap((term) => placesOf(words, term)))
  const hits = words.filter(({ folded }, at) => places.has(at) || forms.has(folded))
  const [first] = hits
  if (first === undefined) return null
  const [from, to] = boundsOf(text, words, first)
  let [made, done] = [from > 0 ? '…' : '', from]
  for (const { start, end } of hits.filter((hit) => hit.start < to)) {
    const last = Math.min(end, to)
    made += `${escapeHtml(text.slice(done, start))}<mark>${escapeHtml(text.slice(start, last))}</mark>`
    done = last
  }
  return made + escapeHtml(text.slice(done, to)) + (to < text.length ? '…' : '')
}
