import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Divider } from './divider'
import { TabList } from './tabs'

interface PanesProps {
  readonly build: ComponentChildren
  readonly query: ComponentChildren
  readonly response: ComponentChildren
  readonly isPending: boolean
  readonly trouble: string | null
  /** True if the query box explains the error. */
  readonly isExplained: boolean
}

const paneId = (name: string): string => `pane-${name}`

/** Three panes side by side; on a phone one of them, with tabs. */
export function Panes(props: PanesProps): ComponentChildren {
  const { build, query, response, isPending, trouble, isExplained } = props
  const [shown, setShown] = useState('Response')
  useEffect(() => {
    if (shown !== 'Query' || isPending || isExplained) return
    // The focused part of the query disappears.
    document.querySelector<HTMLElement>('.panes > [role=tablist] > :last-child')?.focus()
    setShown('Response')
  }, [isPending, trouble])
  const pane = (name: string, content: ComponentChildren): ComponentChildren => (
    <section
      class={`pane ${name.toLowerCase()} ${name === shown ? 'shown' : ''}`}
      id={paneId(name)}
      aria-label={name}
    >
      {content}
    </section>
  )
  return (
    <main class="panes">
      <TabList
        label="Panes"
        names={['Build', 'Query', 'Response']}
        chosen={shown}
        choose={setShown}
        panelId={paneId}
      />
      {pane('Build', build)}
      <Divider name="Build" />
      {pane('Query', query)}
      <Divider name="Response" />
      {pane('Response', response)}
    </main>
  )
}
