import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { RemoveButton } from './controls'
import { linkInWords, type PageLink } from './page-link'
import { readStored, writeStored } from './stored'

interface SavedQuery extends PageLink {
  readonly name: string
}

/** Keyed by the page's address, as one host may have several explorers. */
const place = `explorer ${location.pathname}`
const most = 200

function readSaved(): readonly SavedQuery[] {
  const saved = readStored('localStorage', place)
  return Array.isArray(saved)
    ? saved.filter(
        (one: Partial<SavedQuery> | null): one is SavedQuery =>
          typeof one?.name === 'string' && typeof one.text === 'string' && typeof one.role === 'string',
      )
    : []
}

interface SavedQueriesProps {
  readonly now: PageLink
  readonly asked: readonly PageLink[]
  readonly open: (link: PageLink) => void
}

type RecentQueriesProps = Pick<SavedQueriesProps, 'asked' | 'open'>

function RecentQueries({ asked, open }: RecentQueriesProps): ComponentChildren {
  return (
    <>
      <h3>History of this page</h3>
      <ol class="chosen">
        {asked.map((one) => (
          <li key={linkInWords(one)}>
            <button
              type="button"
              class="link"
              onClick={() => {
                open(one)
              }}
            >
              {linkInWords(one)}
            </button>
          </li>
        ))}
      </ol>
    </>
  )
}

/** The session's queries, and saved ones. Only saved queries are stored. */
export function SavedQueries({ now, asked, open }: SavedQueriesProps): ComponentChildren {
  const [saved, setSaved] = useState(readSaved)
  const [name, setName] = useState('')
  useEffect(() => {
    const read = (): void => {
      setSaved(readSaved())
    }
    addEventListener('storage', read)
    return () => {
      removeEventListener('storage', read)
    }
  }, [])
  // Another tab may have saved some meanwhile.
  const change = (make: (before: readonly SavedQuery[]) => readonly SavedQuery[]): void => {
    const next = make(readSaved())
    setSaved(next)
    writeStored('localStorage', place, next.length === 0 ? null : next)
  }
  return (
    <details class="part kept">
      <summary>Saved and history</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() === '') return
          const added = { ...now, name: name.trim() }
          change((before) => [added, ...before.filter((one) => one.name !== added.name)].slice(0, most))
          setName('')
        }}
      >
        <label class="field">
          <span>Save as</span>
          <input
            type="text"
            value={name}
            maxLength={100}
            onInput={({ currentTarget }) => {
              setName(currentTarget.value)
            }}
          />
        </label>
        <button type="submit" disabled={name.trim() === ''}>
          Save
        </button>
      </form>
      <ul class="chosen" aria-label="Saved">
        {saved.map((one) => (
          <li key={one.name}>
            <button
              type="button"
              class="link"
              title={linkInWords(one)}
              onClick={() => {
                open(one)
              }}
            >
              {one.name}
            </button>
            <RemoveButton
              label={`Delete ${one.name}`}
              remove={() => {
                change((before) => before.filter(({ name: other }) => other !== one.name))
              }}
            />
          </li>
        ))}
      </ul>
      <RecentQueries {...{ asked, open }} />
    </details>
  )
}
