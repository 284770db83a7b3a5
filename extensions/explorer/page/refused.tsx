import type { ComponentChildren } from 'preact'
import type { Fault } from './fault'
import { goToQuery } from './focus'

interface RefusedProps {
  readonly text: string
  readonly fault: Fault
  readonly replace: (text: string) => void
}

/** The reason, and names that are similar to the wrong part. */
export function Refused({ text, fault, replace }: RefusedProps): ComponentChildren {
  const { message, isAnswered, spot, meant, isNear } = fault
  const [from, to] = spot ?? [0, 0]
  return (
    <div
      class={isAnswered ? 'refused answered' : 'refused'}
      role="group"
      aria-label={isAnswered ? 'Ignored parameter' : 'Request error'}
    >
      <p>{message}</p>
      {meant.length === 0 || spot === null ? null : (
        <p>
          {isNear ? 'Did you mean' : 'Such as'}{' '}
          {meant.map((one) => (
            <button
              type="button"
              key={one}
              onClick={() => {
                goToQuery()
                replace(text.slice(0, from) + one + text.slice(to))
              }}
            >
              {one}
            </button>
          ))}
          {isNear ? '?' : ''}
        </p>
      )}
    </div>
  )
}
