import type { ComponentChildren } from 'preact'
import { withoutMount } from './address'
import type { PageLink } from './page-link'
import type { Example, Examples, PageData } from './page-data'

interface OfferedProps {
  readonly pageData: PageData
  readonly open: (link: PageLink) => void
  readonly isOpen: boolean
}

/** Queries for a role that may not be tried would get another response. */
function shownTo({ examples, roles }: PageData): readonly Examples[] {
  const mayBeTried = ({ role }: Example): boolean => role === undefined || roles.includes(role)
  return examples
    .map(({ title, queries }) => ({ title, queries: queries.filter(mayBeTried) }))
    .filter(({ queries }) => queries.length > 0)
}

export function OfferedQueries({ pageData, open, isOpen }: OfferedProps): ComponentChildren {
  const { at } = pageData
  const examples = shownTo(pageData)
  if (examples.length === 0) return null
  return (
    <details class="part examples" open={isOpen}>
      <summary>Examples</summary>
      {examples.map(({ title, queries }, index) => (
        <details key={title} class="group" open={index === 0}>
          <summary>{title}</summary>
          <ul class="offered">
            {queries.map((one) => (
              <li key={one.title}>
                <button
                  type="button"
                  class="link"
                  onClick={() => {
                    open({
                      role: one.role ?? '',
                      text: `${at.replace(/\/$/, '')}/${withoutMount(one.query, at)}`,
                    })
                  }}
                >
                  {one.title}
                </button>
                {one.role === undefined ? null : <span class="about">as {one.role}</span>}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </details>
  )
}
