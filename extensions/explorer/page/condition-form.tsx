import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Asking } from './answer'
import { type Condition, choosableOf } from './conditions'
import { Choice } from './controls'
import { operatorInWords, operatorNamed } from './fixed-choices'
import type { TypeData, TypesByUid } from './page-data'
import { ValueInput } from './value-input'

interface FormProps {
  readonly type: TypeData
  readonly types: TypesByUid
  readonly asking: Asking
  readonly add: (condition: Condition) => void
}

const takesTwo = (operator: string): boolean => operatorNamed(operator)?.takes === 'two'

const takesList = (operator: string): boolean => (operatorNamed(operator)?.takes ?? 'one') !== 'one'

/** Labels of the values. A list always has one more input than values. */
function inputsFor(operator: string, count: number): readonly string[] {
  if (takesTwo(operator)) return ['From', 'To']
  if (!takesList(operator)) return ['Value']
  return Array.from({ length: count + 1 }, (_, at) => `Value ${String(at + 1)}`)
}

export function ConditionForm({ type, types, asking, add }: FormProps): ComponentChildren {
  const all = choosableOf(types, type)
  const [path, setPath] = useState('')
  const [operator, setOperator] = useState('')
  const [values, setValues] = useState<readonly string[]>([])
  const chosen = all.find((one) => one.path === path)
  const operators = chosen?.scalar.operators ?? []
  const filled = values.filter((value) => value !== '')
  const inputs = inputsFor(operator, filled.length)
  const isWhole = filled.length >= (takesTwo(operator) ? 2 : 1)
  return (
    <form
      class="condition"
      aria-label="Add a filter"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isWhole) return
        add({ path: [...path.split('.'), operator], value: takesList(operator) ? filled : filled.join() })
        setValues([])
      }}
    >
      <Choice
        label="Attribute"
        value={path}
        set={(name) => {
          const next = all.find((one) => one.path === name)
          const offered = next?.scalar.operators ?? []
          setPath(name)
          setOperator(offered.includes('$eq') ? '$eq' : (offered[0] ?? ''))
          setValues([])
        }}
        none="choose"
      >
        {all.map((one) => (
          <option key={one.path} value={one.path}>
            {one.path.replace('.', ' › ')}
          </option>
        ))}
      </Choice>
      {chosen === undefined ? null : (
        <>
          <Choice
            label="Operator"
            value={operator}
            set={(name) => {
              setOperator(name)
              setValues([])
            }}
          >
            {operators.map((one) => (
              <option key={one} value={one}>
                {operatorInWords(one)}
              </option>
            ))}
          </Choice>
          {inputs.map((label, at) => (
            <ValueInput
              key={at}
              {...{ label, chosen, operator, asking }}
              value={values[at] ?? ''}
              set={(value) => {
                setValues(inputs.map((_, place) => (place === at ? value : (values[place] ?? ''))))
              }}
            />
          ))}
          <button type="submit" disabled={!isWhole}>
            Add filter
          </button>
        </>
      )}
    </form>
  )
}
