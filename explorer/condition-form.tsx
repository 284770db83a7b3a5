import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Asking } from './answer'
import { choosableOf } from './choosable'
import type { Condition } from './conditions'
import { operatorInWords } from './operators'
import type { ToldType, TypesByUid } from './told'
import { ValueInput } from './value-input'

interface FormProps {
  readonly type: ToldType
  readonly types: TypesByUid
  readonly asking: Asking
  readonly add: (condition: Condition) => void
}

/** A condition in three choices, each of what fits the one before. */
export function ConditionForm({ type, types, asking, add }: FormProps): ComponentChildren {
  const all = choosableOf(types, type)
  const [path, setPath] = useState('')
  const [operator, setOperator] = useState('')
  const [value, setValue] = useState('')
  const chosen = all.find((one) => one.path === path)
  const operators = chosen?.scalar.operators ?? []
  const isWhole = chosen !== undefined && operator !== '' && value !== ''
  return (
    <form
      class="condition"
      aria-label="Add a filter"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isWhole) return
        add({ path: [...path.split('.'), operator], value })
        setValue('')
      }}
    >
      <label class="field">
        <span>Attribute</span>
        <select
          value={path}
          onChange={({ currentTarget }) => {
            const next = all.find((one) => one.path === currentTarget.value)
            const offered = next?.scalar.operators ?? []
            setPath(currentTarget.value)
            setOperator(offered.includes('$eq') ? '$eq' : (offered[0] ?? ''))
            setValue('')
          }}
        >
          <option value="">choose</option>
          {all.map((one) => (
            <option key={one.path} value={one.path}>
              {one.path.replace('.', ' › ')}
            </option>
          ))}
        </select>
      </label>
      {chosen === undefined ? null : (
        <>
          <label class="field">
            <span>Operator</span>
            <select
              value={operator}
              onChange={({ currentTarget }) => {
                setOperator(currentTarget.value)
                setValue('')
              }}
            >
              {operators.map((one) => (
                <option key={one} value={one}>
                  {operatorInWords(one)}
                </option>
              ))}
            </select>
          </label>
          <ValueInput {...{ chosen, operator, value, asking }} set={setValue} />
          <button type="submit" disabled={!isWhole}>
            Add filter
          </button>
        </>
      )}
    </form>
  )
}
