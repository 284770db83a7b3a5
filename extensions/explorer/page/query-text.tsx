import type { ComponentChildren } from 'preact'

interface Piece {
  readonly text: string
  readonly kind: string
}

/** Path, names, operators and values. */
function piecesOf(text: string): readonly Piece[] {
  let place: 'path' | 'name' | 'value' = 'path'
  const kindOf = (word: string): string => {
    if (place !== 'path' && word === '&') place = 'name'
    else if (place === 'path' && word === '?') place = 'name'
    else if (place === 'name' && word === '=') place = 'value'
    else if (place === 'path') return ''
    else if (place === 'value') return 'value text'
    else if (word.startsWith('$')) return 'value number'
    else if (!/^[[\]]$/.test(word)) return 'key'
    return 'value null'
  }
  return [...text.matchAll(/[?&=[\]]|[^?&=[\]]+/g)].map(([word]) => ({ text: word, kind: kindOf(word) }))
}

/** The pieces from one place to another, of which the first and last may be cut. */
function piecesWithin(pieces: readonly Piece[], from: number, to: number): readonly ComponentChildren[] {
  let end = 0
  return pieces.map(({ text, kind }, index) => {
    const start = end
    end += text.length
    const part = text.slice(Math.max(0, from - start), Math.max(0, to - start))
    return part === '' ? null : (
      <span key={index} class={kind}>
        {part}
      </span>
    )
  })
}

interface QueryTextProps {
  readonly text: string
  /** The part that is marked as wrong, if there is one. */
  readonly from: number
  readonly to: number
}

/** The coloured text behind the transparent one of the text box. */
export function QueryText({ text, from, to }: QueryTextProps): ComponentChildren {
  const pieces = piecesOf(text)
  return (
    <div class="written" aria-hidden="true">
      {piecesWithin(pieces, 0, from)}
      {from === to ? null : <mark>{piecesWithin(pieces, from, to)}</mark>}
      {piecesWithin(pieces, to, text.length)}
      {'\u200b'}
    </div>
  )
}
