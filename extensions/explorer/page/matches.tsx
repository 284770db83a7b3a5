import type { ComponentChildren } from 'preact'
import { type Entry, entriesOf, isEntry } from './entry'
import { type TypeData, titleOf } from './page-data'
import { plainText, withoutTurns } from './plain-text'

/** Parts of a text. Each second part is a found word. */
type MarkedText = readonly string[]

interface Match {
  readonly documentId: string
  readonly title: MarkedText
  readonly points: number | null
  readonly fragments: readonly (readonly [attribute: string, text: MarkedText])[]
}

const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Security: no HTML of a response becomes markup. The only tags of a fragment are marks. */
const readFragment = (html: string): MarkedText =>
  html
    .split(/<\/?mark>/)
    .map((part) =>
      withoutTurns(part.replace(/&(amp|lt|gt|quot|#39);/g, (all, name: string) => signs[name] ?? all)),
    )

function matchOf(entry: Entry, title: string | null, marked: unknown, points: unknown): Match {
  const documentId = plainText(entry['documentId'])
  const fragments = Object.entries(isEntry(marked) ? marked : {}).map(
    ([name, html]) => [name, readFragment(plainText(html))] as const,
  )
  const plain = withoutTurns(plainText((title === null ? null : entry[title]) ?? documentId))
  return {
    documentId,
    title: fragments.find(([name]) => name === title)?.[1] ?? [plain],
    points: typeof points === 'number' ? points : null,
    fragments: fragments.filter(([name]) => name !== title),
  }
}

/** The entries of a search in their order; empty for a response without highlights. */
export function matchesIn(body: unknown, type: TypeData | null): readonly Match[] {
  const meta = isEntry(body) && isEntry(body['meta']) ? body['meta'] : {}
  const { highlights, ranks } = isEntry(meta['search']) ? meta['search'] : ({} as Entry)
  if (type === null || !isEntry(highlights)) return []
  const of = (table: unknown, { id }: Entry): unknown => (isEntry(table) ? table[String(id)] : undefined)
  return entriesOf(body).map((entry) =>
    matchOf(entry, titleOf(type), of(highlights, entry), of(ranks, entry)),
  )
}

const Marked = ({ text }: { text: MarkedText }): ComponentChildren =>
  text.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))

interface MatchesProps {
  readonly matches: readonly Match[]
  readonly open: (documentId: string) => void
}

/** The found entries, with the found words in their texts. */
export function Matches({ matches, open }: MatchesProps): ComponentChildren {
  return (
    <ol class="matches" aria-label="Matches in the order of the response">
      {matches.map(({ documentId, title, points, fragments }, at) => (
        <li key={at}>
          <button
            type="button"
            class="link"
            onClick={() => {
              open(documentId)
            }}
          >
            <Marked text={title} />
          </button>
          {points === null ? null : (
            <span class="about"> {points === 1 ? '1 point' : `${String(points)} points`}</span>
          )}
          {fragments.map(([name, text]) => (
            <p key={name}>
              <span class="about">{name}:</span> <Marked text={text} />
            </p>
          ))}
        </li>
      ))}
    </ol>
  )
}
