import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'

interface TabListProps {
  readonly label: string
  readonly names: readonly string[]
  readonly chosen: string
  readonly choose: (name: string) => void
  readonly panelId: (name: string) => string
}

/** A single tab stop; arrow keys choose. */
export function TabList({ label, names, chosen, choose, panelId }: TabListProps): ComponentChildren {
  const list = useRef<HTMLDivElement>(null)
  const goTo = (at: number): void => {
    choose(names.at(at) ?? chosen)
    ;[...(list.current?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])].at(at)?.focus()
  }
  const onKey = (event: KeyboardEvent): void => {
    const at = names.indexOf(chosen)
    const next = { ArrowRight: (at + 1) % names.length, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    goTo(next)
  }
  return (
    <div role="tablist" aria-label={label} ref={list} onKeyDown={onKey}>
      {names.map((name, at) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          aria-controls={panelId(name)}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => {
            goTo(at)
          }}
        >
          {name}
        </button>
      ))}
    </div>
  )
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly { readonly name: string; readonly show: () => ComponentChildren }[]
  /** Shown at the end of the line of tabs. */
  readonly children?: ComponentChildren
}

/** The last choice for each label, which later responses start with. */
const chosenBefore = new Map<string, string>()

/** Without a count. */
const plainName = (name: string): string => name.split(' (')[0] ?? ''

export function Tabs({ label, tabs, children }: TabsProps): ComponentChildren {
  const id = useId()
  const [chosen, setChosen] = useState(chosenBefore.get(label))
  const current = tabs.find(({ name }) => plainName(name) === chosen) ?? tabs[0]
  if (current === undefined) return null
  return (
    <div class="tabs">
      <div class="strip">
        {children}
        <TabList
          label={label}
          names={tabs.map(({ name }) => name)}
          chosen={current.name}
          panelId={() => id}
          choose={(name) => {
            chosenBefore.set(label, plainName(name))
            setChosen(plainName(name))
          }}
        />
      </div>
      <div role="tabpanel" id={id} aria-label={current.name}>
        {current.show()}
      </div>
    </div>
  )
}
