import type { ComponentChildren } from 'preact'
import type { QueryTable } from './address'
import { Choice } from './controls'
import { withValue } from './level'
import type { NamedQuery, TypeData } from './page-data'

const besideName = ['pagination', 'locale', 'fallback', 'status']

const textAt = (query: QueryTable, name: string): string => {
  const value = query[name]
  return typeof value === 'string' ? value : ''
}

/** The named query, with the parameters of the current query that may stay. */
export function byName(query: QueryTable, name: string): QueryTable {
  const kept = Object.entries(query).filter(([key]) => besideName.includes(key))
  return name === '' ? Object.fromEntries(kept) : { query: name, ...Object.fromEntries(kept) }
}

export const namedIn = (query: QueryTable, { queries }: TypeData): NamedQuery | undefined =>
  queries.find(({ name }) => name === query['query'])

interface NamedQueryFormProps {
  readonly type: TypeData
  readonly query: QueryTable
  readonly put: (query: QueryTable) => void
}

export function NamedQueryForm({ type, query, put }: NamedQueryFormProps): ComponentChildren {
  const { queries, onlyByName } = type
  if (queries.length === 0)
    return onlyByName ? (
      <p>The current role can send only named queries, but this type has no named query.</p>
    ) : null
  const chosen = namedIn(query, type)
  return (
    <fieldset class="named">
      <legend>Named queries</legend>
      {onlyByName ? <p class="about">The current role can send only named queries.</p> : null}
      <Choice
        label="Named query"
        value={chosen?.name ?? ''}
        set={(name) => {
          put(byName(query, name))
        }}
        none={onlyByName ? 'choose' : 'none'}
        names={queries.map(({ name }) => name)}
      />
      {chosen?.parameters.map((name) => (
        <label class="field" key={`${chosen.name} ${name}`}>
          <span>{name}</span>
          <input
            type="text"
            value={textAt(query, name)}
            onChange={({ currentTarget }) => {
              put(withValue(query, name, currentTarget.value))
            }}
          />
        </label>
      ))}
    </fieldset>
  )
}
