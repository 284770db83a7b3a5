import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { readPageData } from './answer'
import { parseAddress } from './address'
import { Choice } from './controls'
import type { Session } from './session'
import { type PageData, typeAt } from './page-data'

export interface SessionProps {
  readonly pageData: PageData
  readonly session: Session
}

export function RoleChooser({ pageData, session }: SessionProps): ComponentChildren {
  const { role, token, askAs, useToken } = session
  const [draft, setDraft] = useState(token)
  const isSendable = /^[\x20-\x7e]*$/.test(draft.trim())
  return (
    <div class="who">
      {pageData.roles.length === 0 ? null : (
        <Choice label="Role" value={role} set={askAs} none="my session" names={pageData.roles} />
      )}
      <details class="token">
        <summary>Token</summary>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (isSendable) useToken(draft.trim())
          }}
        >
          <label class="field">
            <span>Bearer token, not stored</span>
            <input
              type="password"
              autocomplete="off"
              value={draft}
              aria-describedby="token-letters"
              onInput={({ currentTarget }) => {
                setDraft(currentTarget.value)
              }}
            />
          </label>
          <button type="submit" disabled={!isSendable}>
            Use
          </button>
          <span id="token-letters" role="status" class="about">
            {isSendable ? '' : 'A token is one line of ASCII characters.'}
          </span>
        </form>
      </details>
    </div>
  )
}

/** Roles to try that may read the forbidden query. */
export function OtherRoles({ pageData, session }: SessionProps): ComponentChildren {
  const { answer, token, askAs } = session
  const [may, setMay] = useState<readonly string[]>([])
  const isRefused = answer?.status === 403
  useEffect(() => {
    setMay([])
    if (answer === null || !isRefused) return
    const { path, query } = parseAddress(answer.text, pageData.at)
    const [route = '', one] = path
    const action = one === undefined ? 'find' : 'findOne'
    const wantsDrafts = query['status'] === 'draft'
    const mayRead = async (role: string): Promise<readonly string[]> => {
      const type = typeAt((await readPageData({ role, token })).types, route)
      if (type === undefined || (wantsDrafts && !type.hasDrafts)) return []
      return type.reads.includes(action) || type.kind === 'singleType' ? [role] : []
    }
    Promise.all(pageData.roles.filter((role) => role !== answer.role).map(mayRead)).then(
      (found) => {
        setMay(found.flat())
      },
      () => undefined,
    )
  }, [answer])
  if (!isRefused || may.length === 0) return null
  return (
    <p>
      Roles with access:{' '}
      {may.map((role) => (
        <button
          type="button"
          key={role}
          onClick={() => {
            askAs(role)
          }}
        >
          {role}
        </button>
      ))}
    </p>
  )
}
