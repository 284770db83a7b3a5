import type { ComponentChildren } from 'preact'
import type { Answer, Asking } from './answer'
import { AnswerPane } from './answer-pane'
import { explanationIn } from './explained'
import { Costs } from './costs'
import { StatusLine } from './status-line'
import { OtherRoles, type SessionProps } from './role-chooser'
import { useEffect, useState, useRef } from 'preact/hooks'
import { formatAddress, type QueryTable, parseAddress } from './address'
import { nearPages } from './near-pages'

function PageTurner({ pageData, session }: SessionProps): ComponentChildren {
  const { answer, isPending, ask } = session
  const last = useRef<Answer | null>(null)
  if (answer !== null) last.current = answer
  // Stays during the next request and keeps the focus, so that keyboard users can turn on.
  const shown = answer ?? (isPending ? last.current : null)
  if (shown === null) return null
  const { path, query } = parseAddress(shown.text, pageData.at)
  const near = nearPages(query, shown.body)
  if (near === null) return null
  const turn = (name: string, to: QueryTable | null): ComponentChildren => (
    <button
      type="button"
      aria-disabled={to === null || isPending}
      onClick={() => {
        if (to !== null && !isPending) ask(formatAddress({ path, query: to }, pageData.at))
      }}
    >
      {name}
    </button>
  )
  return (
    <nav class="asking" aria-label="Pages">
      {turn('Previous', near.previous)}
      <span role="status">{near.place}</span>
      {turn('Next', near.next)}
    </nav>
  )
}

/** Seconds since the request, hidden from screen readers, which would read every second. */
function Waiting(): ComponentChildren {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const begun = performance.now()
    const clock = setInterval(() => {
      setSeconds(Math.round((performance.now() - begun) / 1000))
    }, 1000)
    return () => {
      clearInterval(clock)
    }
  }, [])
  return <span aria-hidden="true">{seconds === 0 ? '' : ` ${String(seconds)} s`}</span>
}

/** Without the option of the host, the page mentions it. */
function Explain({
  pageData: { explains },
  session: { isExplained, explain },
}: SessionProps): ComponentChildren {
  return (
    <span class="explain">
      <label>
        <input
          type="checkbox"
          disabled={!explains}
          checked={explains && isExplained}
          aria-describedby={explains ? undefined : 'explain-how'}
          onChange={({ currentTarget }) => {
            explain(currentTarget.checked)
          }}
        />{' '}
        Explain
      </label>
      {explains ? null : (
        <span id="explain-how" class="about">
          {' '}
          needs <code>explain</code> of the extension <code>observe()</code>
        </span>
      )}
    </span>
  )
}

const isUnexplained = ({ status, body }: Answer): boolean => status === 200 && explanationIn(body) === null

interface AnswerSectionProps extends SessionProps {
  readonly asking: Asking
}

function Said({ session }: Pick<SessionProps, 'session'>): ComponentChildren {
  const { answer, trouble, isPending } = session
  if (trouble !== null) return trouble
  return isPending || answer === null ? 'Running…' : <StatusLine answer={answer} />
}

export function AnswerSection({ pageData, session, asking }: AnswerSectionProps): ComponentChildren {
  const { answer, text, trouble, isPending, isExplained, ask } = session
  const isFailed = trouble !== null || (answer !== null && (answer.status >= 400 || answer.oddity !== null))
  return (
    <>
      <div class="head">
        <h2>Response</h2>
        <Explain {...{ pageData, session }} />
        <p id="status" tabIndex={-1} class={isFailed ? 'failed' : ''}>
          <span role="status">
            <Said session={session} />
          </span>
          {isPending ? <Waiting /> : null}
        </p>
      </div>
      {answer === null || answer.text === text ? null : (
        <p class="about">The query has changed since this response. Run the query again.</p>
      )}
      {isExplained && pageData.explains && answer !== null && isUnexplained(answer) ? (
        <p class="about">
          The response has no explanation, because the function <code>explain</code> of the host application
          rejected the request.
        </p>
      ) : null}
      <OtherRoles pageData={pageData} session={session} />
      <div class="costs">
        <PageTurner pageData={pageData} session={session} />
        {answer === null ? null : <Costs {...{ answer, asking }} />}
      </div>
      {answer === null ? null : (
        <AnswerPane
          answer={answer}
          asking={asking}
          open={(next) => {
            // The focused element disappears with the response.
            document.getElementById('status')?.focus()
            ask(next)
          }}
        />
      )}
    </>
  )
}
