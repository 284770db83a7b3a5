import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { readTold } from './answer'
import { readAsked } from './asked'
import type { Session } from './session'
import { type Told, typeAt } from './told'

interface WhoAsksProps {
  readonly told: Told
  readonly session: Session
}

export function WhoAsks({ told, session }: WhoAsksProps): ComponentChildren {
  const { role, token, askAs, useToken } = session
  const [draft, setDraft] = useState(token)
  const isSendable = /^[\x20-\x7e]*$/.test(draft.trim())
  return (
    <div class="who">
      {told.roles.length === 0 ? null : (
        <label class="field">
          <span>Ask as</span>
          <select
            value={role}
            onChange={({ currentTarget }) => {
              askAs(currentTarget.value)
            }}
          >
            <option value="">whoever I am</option>
            {told.roles.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
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
            <span>Bearer token, forgotten with the page</span>
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
            {isSendable ? '' : 'No token has such letters: it is of ASCII alone, in one line.'}
          </span>
        </form>
      </details>
    </div>
  )
}

/** Roles to try that may read the forbidden query. */
export function OthersWhoMay({ told, session }: WhoAsksProps): ComponentChildren {
  const { answer, token, askAs } = session
  const [may, setMay] = useState<readonly string[]>([])
  const isRefused = answer?.status === 403
  useEffect(() => {
    setMay([])
    if (answer === null || !isRefused) return
    const { path, query } = readAsked(answer.text, told.at)
    const [route = '', one] = path
    const action = one === undefined ? 'find' : 'findOne'
    const wantsDrafts = query['status'] === 'draft'
    const mayRead = async (role: string): Promise<readonly string[]> => {
      const type = typeAt((await readTold({ role, token })).types, route)
      if (type === undefined || (wantsDrafts && !type.hasDrafts)) return []
      return type.reads.includes(action) || type.kind === 'singleType' ? [role] : []
    }
    Promise.all(told.roles.filter((role) => role !== answer.role).map(mayRead)).then(
      (found) => {
        setMay(found.flat())
      },
      () => undefined,
    )
  }, [answer])
  if (!isRefused || may.length === 0) return null
  return (
    <p>
      It may be read as{' '}
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
