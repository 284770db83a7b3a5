import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Asking, ask } from './answer'
import type { Choosable } from './conditions'
import { Choice } from './controls'
import { entriesOf } from './entry'
import { takesText, takesTruth } from './fixed-choices'
import { plainText } from './plain-text'
import { type TypeData, titleOf } from './page-data'

interface Suggestion {
  readonly value: string
  readonly title: string
}

const shownDocuments = '12'

async function findDocuments(
  type: TypeData,
  typed: string,
  asking: Asking,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const title = titleOf(type)
  if (type.path === null || title === null || !type.reads.includes('find')) return []
  const filter = typed === '' ? '' : `&filters[${title}][$containsi]=${encodeURIComponent(typed)}`
  const text = `${asking.pageData.at}/${type.path}?fields[0]=${title}&sort=${title}&pagination[pageSize]=${shownDocuments}&pagination[withCount]=false${filter}`
  const { body } = await ask(text, asking, signal)
  return entriesOf(body).map((entry) => ({
    value: plainText(entry['documentId']),
    title: plainText(entry[title]),
  }))
}

interface ValueProps {
  readonly label: string
  readonly chosen: Choosable
  readonly operator: string
  readonly value: string
  readonly set: (value: string) => void
  readonly asking: Asking
}

type InputType = 'text' | 'date' | 'time' | 'datetime-local' | 'number'

const inputTypes: Readonly<Record<string, InputType>> = {
  date: 'date',
  time: 'time',
  datetime: 'datetime-local',
  timestamp: 'datetime-local',
  integer: 'number',
  biginteger: 'number',
  float: 'number',
  decimal: 'number',
  id: 'number',
}

/** The time of a local input, read as UTC. */
const instant = (local: string): string =>
  local === '' ? '' : `${local.length === 16 ? `${local}:00` : local}Z`

function DocumentInput({ label, chosen, value, set, asking }: ValueProps): ComponentChildren {
  const [found, setFound] = useState<readonly Suggestion[]>([])
  const [typed, setTyped] = useState('')
  const { document } = chosen
  useEffect(() => {
    const controller = new AbortController()
    const wait = setTimeout(() => {
      if (document !== null)
        findDocuments(document, typed, asking, controller.signal).then(setFound, () => undefined)
    }, 150)
    return () => {
      clearTimeout(wait)
      controller.abort()
    }
  }, [typed, document?.uid, asking.role])
  return (
    <>
      <label class="field">
        <span>{label === 'Value' ? '' : `${label}: `}Find by title</span>
        <input
          type="search"
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value)
          }}
        />
      </label>
      <Choice {...{ label, value, set }} none="choose a document">
        {value !== '' && !found.some((one) => one.value === value) ? (
          <option value={value}>{value}</option>
        ) : null}
        {found.map((one) => (
          <option key={one.value} value={one.value}>
            {one.title || one.value}
          </option>
        ))}
      </Choice>
    </>
  )
}

interface TypedProps extends Pick<ValueProps, 'value' | 'set'> {
  readonly type: InputType
}

function TypedInput({ type, value, set }: TypedProps): ComponentChildren {
  const onInput = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => {
    set(type === 'datetime-local' ? instant(currentTarget.value) : currentTarget.value)
  }
  switch (type) {
    case 'text':
      return <input type="text" value={value} onInput={onInput} />
    case 'number':
      return <input type="number" step="any" value={value} onInput={onInput} />
    case 'date':
      return <input type="date" value={value} onInput={onInput} />
    case 'time':
      return <input type="time" step={1} value={value} onInput={onInput} />
    case 'datetime-local':
      return <input type="datetime-local" step={1} value={value.replace(/Z$/, '')} onInput={onInput} />
  }
}

function choicesOf({ chosen: { scalar }, operator }: ValueProps): readonly string[] | null {
  // The opposite operator has a name of its own.
  if (takesTruth(operator)) return ['true']
  if (scalar.type === 'boolean') return ['true', 'false']
  return takesText(operator) ? null : scalar.values
}

export function ValueInput(props: ValueProps): ComponentChildren {
  const { label, chosen, operator, value, set } = props
  const choices = choicesOf(props)
  if (choices === null && chosen.document !== null && !takesText(operator))
    return <DocumentInput {...props} />
  const type = takesText(operator) ? 'text' : (inputTypes[chosen.scalar.type] ?? 'text')
  const labelInUtc = type === 'datetime-local' ? `${label} (UTC)` : label
  if (choices !== null) return <Choice label={labelInUtc} {...{ value, set }} none="choose" names={choices} />
  return (
    <label class="field">
      <span>{labelInUtc}</span>
      <TypedInput {...{ type, value, set }} />
    </label>
  )
}
