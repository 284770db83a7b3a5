import type { ComponentChildren } from 'preact'
import { goOnNear } from './focus'

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly set: (value: string) => void
  /** The text of the empty choice. */
  readonly none?: string
  readonly names?: readonly string[]
  /** Further choices, whose texts differ from their values. */
  readonly children?: ComponentChildren
}

export function Choice({ label, value, set, none, names = [], children }: ChoiceProps): ComponentChildren {
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={value}
        onChange={({ currentTarget }) => {
          set(currentTarget.value)
        }}
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
        {children}
      </select>
    </label>
  )
}

interface RemoveProps {
  /** Names the removed item, for screen readers. */
  readonly label: string
  readonly remove: () => void
}

export function RemoveButton({ label, remove }: RemoveProps): ComponentChildren {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={({ currentTarget }) => {
        goOnNear(currentTarget)
        remove()
      }}
    >
      ✕
    </button>
  )
}
