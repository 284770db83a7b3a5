import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Answer } from './answer'
import { askedText, type QueryTable, readAsked } from './asked'
import { nearPages } from './near-pages'
import type { Session } from './session'
import type { Told } from './told'

interface PageTurnerProps {
  readonly told: Told
  readonly session: Session
}

export function PageTurner({ told, session }: PageTurnerProps): ComponentChildren {
  const { answer, isPending, ask } = session
  const last = useRef<Answer | null>(null)
  if (answer !== null) last.current = answer
  // Stays during the next request and keeps the focus, so that keyboard users can turn on.
  const shown = answer ?? (isPending ? last.current : null)
  if (shown === null) return null
  const { path, query } = readAsked(shown.text, told.at)
  const near = nearPages(query, shown.body)
  if (near === null) return null
  const turn = (name: string, to: QueryTable | null): ComponentChildren => (
    <button
      type="button"
      aria-disabled={to === null || isPending}
      onClick={() => {
        if (to !== null && !isPending) ask(askedText({ path, query: to }, told.at))
      }}
    >
      {name}
    </button>
  )
  return (
    <nav class="asking" aria-label="Pages">
      {turn('Previous', near.previous)}
      <span role="status">{near.place}</span>
      {turn('Next', near.next)}
    </nav>
  )
}
