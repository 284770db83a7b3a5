import type { ComponentChildren } from 'preact'
import type { QueryTable } from './address'
import { filled, withPage } from './level'
import type { TypeData } from './page-data'

const textOf = ({ _q: text }: QueryTable): string => (typeof text === 'string' ? text : '')

/** The best matches come first, from the first page on, until the reader chooses another order. */
export function withSearch(query: QueryTable, { ranked }: TypeData, text: string): QueryTable {
  const isSearch = text.trim() !== ''
  const isNext = isSearch && textOf(query) !== ''
  return withPage(
    filled({
      ...query,
      _q: isSearch ? text : undefined,
      highlight: isSearch ? ranked.join(',') : undefined,
      ranks: isSearch ? 'true' : undefined,
      sort: isNext ? query['sort'] : undefined,
    }),
    'page',
    '',
  )
}

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
        value={textOf(query)}
        placeholder='words, "a phrase", -excluded'
        onChange={({ currentTarget }) => {
          put(withSearch(query, type, currentTarget.value))
        }}
      />
    </label>
  )
}
