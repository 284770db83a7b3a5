import type { ComponentChildren } from 'preact'
import type { QueryTable } from './address'
import { Choice } from './controls'
import { pageOf, withPage, withValue } from './level'
import type { TypeData } from './page-data'

interface PageFormProps {
  readonly query: QueryTable
  readonly type: TypeData
  readonly isList: boolean
  readonly locales: readonly string[]
  readonly set: (query: QueryTable) => void
}

const said = (table: QueryTable, name: string): string => {
  const value = table[name]
  return typeof value === 'string' ? value : ''
}

interface LocaleProps {
  readonly locales: readonly string[]
  readonly value: string
  readonly set: (locale: string) => void
}

function LocaleInput({ locales, value, set }: LocaleProps): ComponentChildren {
  if (locales.length === 0)
    return (
      <label class="field">
        <span>Locale</span>
        <input
          type="text"
          placeholder="default"
          value={value}
          onChange={({ currentTarget }) => {
            set(currentTarget.value)
          }}
        />
      </label>
    )
  const others = value === '' || value === '*' || locales.includes(value) ? [] : [value]
  return (
    <Choice label="Locale" {...{ value, set }} none="default" names={[...locales, ...others]}>
      <option value="*">all</option>
    </Choice>
  )
}

export function PageForm({ query, type, isList, locales, set }: PageFormProps): ComponentChildren {
  const numbers = [
    ['page', 'Page'],
    ['pageSize', 'Page size'],
  ] as const
  if (!isList && !type.localized && !type.hasDrafts) return null
  return (
    <fieldset>
      <legend>Page, locale, status</legend>
      <div class="fields">
        {numbers.map(([name, label]) =>
          isList ? (
            <label class="field" key={name}>
              <span>{label}</span>
              <input
                type="number"
                min={1}
                value={said(pageOf(query), name)}
                onChange={({ currentTarget }) => {
                  set(withPage(query, name, currentTarget.value))
                }}
              />
            </label>
          ) : null,
        )}
        {type.localized ? (
          <LocaleInput
            locales={locales}
            value={said(query, 'locale')}
            set={(locale) => {
              set(withValue(query, 'locale', locale))
            }}
          />
        ) : null}
        {type.hasDrafts ? (
          <Choice
            label="Status"
            value={said(query, 'status')}
            set={(status) => {
              set(withValue(query, 'status', status))
            }}
            none="published"
            names={['draft']}
          />
        ) : null}
      </div>
    </fieldset>
  )
}
