import type { ComponentChildren } from 'preact'
import type { QueryTable } from './address'
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
  const onChange = ({
    currentTarget,
  }: {
    readonly currentTarget: HTMLInputElement | HTMLSelectElement
  }): void => {
    set(currentTarget.value)
  }
  if (locales.length === 0)
    return <input type="text" placeholder="default" value={value} onChange={onChange} />
  const others = value === '' || value === '*' || locales.includes(value) ? [] : [value]
  return (
    <select value={value} onChange={onChange}>
      <option value="">default</option>
      {[...locales, ...others].map((one) => (
        <option key={one}>{one}</option>
      ))}
      <option value="*">all</option>
    </select>
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
          <label class="field">
            <span>Locale</span>
            <LocaleInput
              locales={locales}
              value={said(query, 'locale')}
              set={(locale) => {
                set(withValue(query, 'locale', locale))
              }}
            />
          </label>
        ) : null}
        {type.hasDrafts ? (
          <label class="field">
            <span>Status</span>
            <select
              value={said(query, 'status')}
              onChange={({ currentTarget }) => {
                set(withValue(query, 'status', currentTarget.value))
              }}
            >
              <option value="">published</option>
              <option>draft</option>
            </select>
          </label>
        ) : null}
      </div>
    </fieldset>
  )
}
