import type { ComponentChildren } from 'preact'
import type { PageLink } from './page-link'
import type { Told } from './told'

/** What the host offers to ask. */
export function OfferedQueries({
  told,
  open,
}: {
  told: Told
  open: (link: PageLink) => void
}): ComponentChildren {
  const { at, examples, roles } = told
  if (examples.length === 0) return null
  return (
    <details class="examples" open>
      <summary>Examples</summary>
      {examples.map(({ title, queries }) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul class="chosen">
            {queries.map((one) => (
              <li key={one.title}>
                <button
                  type="button"
                  class="link"
                  onClick={() => {
                    open({
                      role: one.role !== undefined && roles.includes(one.role) ? one.role : '',
                      text: `${at}/${one.query}`,
                    })
                  }}
                >
                  {one.title}
                </button>
                {one.role === undefined ? null : <span class="about">as {one.role}</span>}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </details>
  )
}
