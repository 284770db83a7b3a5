import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { inLines, onOneLine } from './address'
import { type Completing, type Completion, completionAt } from './completion'
import type { Fault } from './fault'
import type { PageData } from './page-data'
import type { Grammar } from './places'
import { QueryText } from './query-text'

export interface QueryEditorProps {
  readonly pageData: PageData
  readonly grammar: Grammar
  readonly text: string
  readonly fault: Fault | null
  readonly isPending: boolean
  readonly write: (text: string) => void
  readonly ask: (text?: string) => void
  readonly stop: () => void
}

interface Offer {
  readonly choices: readonly Completing[]
  readonly at: number
  readonly openAt: (caret: number | null) => void
  /** Puts the caret there as soon as the box shows the next text. */
  readonly moveCaret: (fromEnd: number) => void
  readonly move: (by: number) => void
  readonly take: (choice: Completing) => void
}

/** The text with the choice in it, and the new caret. */
function completed(
  text: string,
  { from, to }: Completion,
  { insert }: Completing,
): readonly [string, number] {
  // A closing bracket that is there already is not inserted again.
  const isClosed = text[to] === ']' && insert.includes(']')
  const rest = text.slice(isClosed ? to + 1 : to)
  return [text.slice(0, from) + insert + rest, from + insert.length]
}

function useOffer(
  { pageData, grammar, text, write }: QueryEditorProps,
  box: RefObject<HTMLTextAreaElement | null>,
): Offer {
  const [caret, setCaret] = useState<number | null>(null)
  const [index, setIndex] = useState(0)
  const wanted = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (wanted.current === null || box.current === null) return
    const place = inLines(text.slice(0, text.length - wanted.current)).length
    box.current.focus()
    box.current.setSelectionRange(place, place)
    wanted.current = null
  })
  const completion = caret === null ? null : completionAt(grammar, pageData.types, text, caret)
  const choices = completion?.choices ?? []
  const at = Math.min(index, choices.length - 1)
  const openAt = (place: number | null): void => {
    setCaret(place)
    setIndex(0)
  }
  const moveCaret = (fromEnd: number): void => {
    wanted.current = fromEnd
  }
  return {
    ...{ choices, at, openAt, moveCaret },
    move: (by) => {
      setIndex((at + by + choices.length) % choices.length)
    },
    take: (choice) => {
      if (completion === null) return
      const [next, place] = completed(text, completion, choice)
      moveCaret(next.length - place)
      write(next)
      openAt(/[[=]$/.test(choice.insert) ? place : null)
    },
  }
}

function Choices({ choices, at, take }: Offer): ComponentChildren {
  return (
    // Browsers focus a scrolling list with Tab, which would close it.
    <ul id="completion" tabIndex={-1} role="listbox" aria-label="Completions" hidden={choices.length === 0}>
      {choices.map((one, index) => (
        <li
          key={one.text}
          id={`completing-${String(index)}`}
          role="option"
          aria-selected={index === at}
          onMouseDown={(event) => {
            event.preventDefault()
            take(one)
          }}
        >
          <span class="name">{one.text}</span> <span class="about">{one.about}</span>
        </li>
      ))}
    </ul>
  )
}

type Keys = Readonly<Record<string, () => void>>

function keysOf({ choices, at, move, take, openAt }: Offer): Keys {
  const chosen = choices[at]
  if (chosen === undefined) return {}
  return {
    ArrowDown: () => {
      move(1)
    },
    ArrowUp: () => {
      move(-1)
    },
    Enter: () => {
      take(chosen)
    },
    Escape: () => {
      openAt(null)
    },
  }
}

/** The text of the query: one parameter a line, coloured, with completions. */
export function QueryEditor(props: QueryEditorProps): ComponentChildren {
  const { text, fault, isPending, write, ask, stop } = props
  const box = useRef<HTMLTextAreaElement>(null)
  // Lines are broken anew when the query is sent. While somebody types, it would cost the browser's undo.
  const [draft, setDraft] = useState<string | null>(null)
  const shown = draft !== null && onOneLine(draft) === text ? draft : inLines(text)
  const offer = useOffer(props, box)
  const { choices, at, openAt, moveCaret } = offer
  const caretIn = ({ value, selectionStart }: HTMLTextAreaElement): number =>
    onOneLine(value.slice(0, selectionStart)).length
  useLayoutEffect(() => {
    if (!isPending || draft === null || box.current === null) return
    if (document.activeElement === box.current) moveCaret(text.length - caretIn(box.current))
    setDraft(null)
  }, [isPending])
  const onKey = (event: KeyboardEvent): void => {
    const isControl = event.ctrlKey || event.metaKey
    const ofControl: Keys = {
      Enter: () => {
        openAt(null)
        ask()
      },
      ' ': () => {
        if (box.current !== null) openAt(caretIn(box.current))
      },
    }
    const plain: Keys = { ...(isPending ? { Escape: stop } : {}), ...keysOf(offer) }
    const known = (isControl ? ofControl : plain)[event.key]
    if (known === undefined) return
    event.preventDefault()
    known()
  }
  const [from, to] = shown === draft ? [0, 0] : (fault?.spot ?? [0, 0])
  const lengthShown = (place: number): number => inLines(text.slice(0, place)).length
  return (
    <>
      <div class="editor">
        <QueryText text={shown} from={lengthShown(from)} to={lengthShown(to)} />
        <textarea
          id="query"
          ref={box}
          aria-label="Query"
          placeholder="/api/…"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-describedby="query-keys"
          aria-autocomplete="list"
          aria-controls="completion"
          aria-haspopup="listbox"
          aria-activedescendant={choices.length > 0 ? `completing-${String(at)}` : undefined}
          value={shown}
          onInput={({ currentTarget }) => {
            setDraft(currentTarget.value)
            write(onOneLine(currentTarget.value))
            openAt(caretIn(currentTarget))
          }}
          onCopy={(event) => {
            const { value, selectionStart, selectionEnd } = event.currentTarget
            if (selectionStart === selectionEnd) return
            event.preventDefault()
            event.clipboardData?.setData('text/plain', onOneLine(value.slice(selectionStart, selectionEnd)))
          }}
          onKeyDown={onKey}
          onBlur={() => {
            openAt(null)
          }}
        />
      </div>
      <Choices {...offer} />
      <p class="heard" role="status">
        {choices.length > 0
          ? `${String(choices.length)} completions: arrow keys select, Enter inserts, Escape closes`
          : ''}
      </p>
    </>
  )
}
