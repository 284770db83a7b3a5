import type { ComponentChildren } from 'preact'
import type { QueryTable } from './address'
import { searchTextOf, withSearch } from './level'
import type { TypeData } from './page-data'

interface SearchFormProps {
  readonly query: QueryTable
  readonly type: TypeData
  readonly put: (query: QueryTable) => void
}

export function SearchForm({ query, type, put }: SearchFormProps): ComponentChildren {
  return (
    <label class="field">
      <span>Search in {type.ranked.join(', ')}</span>
      <input
        type="search"
        value={searchTextOf(query)}
        placeholder='words, "a phrase", -excluded'
        onChange={({ currentTarget }) => {
          put(withSearch(query, type, currentTarget.value))
        }}
      />
    </label>
  )
}
