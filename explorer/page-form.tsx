import type { ComponentChildren } from 'preact'
import type { QueryTable } from './asked'
import { pageOf, withPage, withValue } from './level'
import type { ToldType } from './told'

interface PageFormProps {
  readonly query: QueryTable
  readonly type: ToldType
  readonly isList: boolean
  readonly set: (query: QueryTable) => void
}

const said = (table: QueryTable, name: string): string => {
  const value = table[name]
  return typeof value === 'string' ? value : ''
}

/** Which page of a list, in which language, of which version. */
export function PageForm({ query, type, isList, set }: PageFormProps): ComponentChildren {
  const numbers = [
    ['page', 'Page'],
    ['pageSize', 'Entries'],
  ] as const
  if (!isList && !type.localized && !type.hasDrafts) return null
  return (
    <fieldset>
      <legend>Page, language, version</legend>
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
            <input
              type="text"
              placeholder="default"
              value={said(query, 'locale')}
              onChange={({ currentTarget }) => {
                set(withValue(query, 'locale', currentTarget.value))
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
