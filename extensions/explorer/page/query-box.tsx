import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Completing, type Completion, completionAt } from './completion'
import type { Fault } from './fault'
import type { Grammar } from './places'
import { Refused } from './refused'
import type { PageData } from './page-data'

interface QueryBoxProps {
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
  { pageData, grammar, text, write }: QueryBoxProps,
  box: RefObject<HTMLTextAreaElement | null>,
): Offer {
  const [caret, setCaret] = useState<number | null>(null)
  const [index, setIndex] = useState(0)
  const wanted = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (wanted.current === null || box.current === null) return
    box.current.focus()
    box.current.setSelectionRange(wanted.current, wanted.current)
    wanted.current = null
  })
  const completion = caret === null ? null : completionAt(grammar, pageData.types, text, caret)
  const choices = completion?.choices ?? []
  const at = Math.min(index, choices.length - 1)
  const openAt = (place: number | null): void => {
    setCaret(place)
    setIndex(0)
  }
  return {
    ...{ choices, at, openAt },
    move: (by) => {
      setIndex((at + by + choices.length) % choices.length)
    },
    take: (choice) => {
      if (completion === null) return
      const [next, place] = completed(text, completion, choice)
      wanted.current = place
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

export function QueryBox(props: QueryBoxProps): ComponentChildren {
  const { text, fault, isPending, write, ask, stop } = props
  const box = useRef<HTMLTextAreaElement>(null)
  const offer = useOffer(props, box)
  const { choices, at, openAt } = offer
  const send = (): void => {
    openAt(null)
    ask()
  }
  const onKey = (event: KeyboardEvent): void => {
    const isControl = event.ctrlKey || event.metaKey
    const ofControl: Keys = {
      Enter: send,
      ' ': () => {
        openAt(box.current?.selectionStart ?? text.length)
      },
    }
    const plain: Keys = { ...(isPending ? { Escape: stop } : {}), ...keysOf(offer) }
    const known = (isControl ? ofControl : plain)[event.key]
    if (known === undefined) return
    event.preventDefault()
    known()
  }
  const count = String(choices.length)
  return (
    <form
      class="query"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label class="heard" for="query">
        Query
      </label>
      <textarea
        id="query"
        ref={box}
        rows={4}
        placeholder="/api/…"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        aria-describedby="query-keys"
        aria-autocomplete="list"
        aria-controls="completion"
        aria-haspopup="listbox"
        aria-activedescendant={choices.length > 0 ? `completing-${String(at)}` : undefined}
        value={text}
        onInput={({ currentTarget }) => {
          write(currentTarget.value)
          openAt(currentTarget.selectionStart)
        }}
        onKeyDown={onKey}
        onBlur={() => {
          openAt(null)
        }}
      />
      <Choices {...offer} />
      <p class="heard" role="status">
        {choices.length > 0 ? `${count} completions: arrow keys select, Enter inserts, Escape closes` : ''}
      </p>
      <div class="asking">
        <button type="submit" class="main">
          {isPending ? 'Running…' : 'Run'}
        </button>
        {isPending ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : null}
        <span id="query-keys" class="about">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs, <kbd>Ctrl</kbd> <kbd>Space</kbd> completes
        </span>
      </div>
      {fault === null ? null : <Refused text={text} fault={fault} replace={ask} />}
    </form>
  )
}
