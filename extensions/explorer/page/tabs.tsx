import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'

interface Tab {
  readonly name: string
  readonly show: () => ComponentChildren
}

/** The last choice for each label, which later responses start with. */
const chosenBefore = new Map<string, string>()

/** A single tab stop; arrow keys choose. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }): ComponentChildren {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState(chosenBefore.get(label) ?? '')
  const found = tabs.findIndex(({ name }) => name.split(' (')[0] === chosen)
  const index = Math.max(0, found)
  const current = tabs[index]
  if (current === undefined) return null
  const goTo = (next: number): void => {
    const at = (next + tabs.length) % tabs.length
    const name = tabs[at]?.name.split(' (')[0] ?? ''
    chosenBefore.set(label, name)
    setChosen(name)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[at]?.focus()
  }
  const onKey = (event: KeyboardEvent): void => {
    const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    goTo(next)
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={onKey}>
        {tabs.map(({ name }, at) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${String(at)}`}
            aria-selected={at === index}
            aria-controls={`${id}-panel`}
            tabIndex={at === index ? 0 : -1}
            onClick={() => {
              goTo(at)
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${String(index)}`}>
        {current.show()}
      </div>
    </div>
  )
}
