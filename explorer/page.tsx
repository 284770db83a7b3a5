import { type ComponentChildren, render } from 'preact'
import type { Asking } from './answer'
import { AnswerPane, statusOf } from './answer-pane'
import { Builder } from './builder'
import { CodePane } from './code-pane'
import { faultOf } from './fault'
import { KeptQueries } from './kept-queries'
import { OfferedQueries } from './offered-queries'
import { QueryBox } from './query-box'
import { type Session, useSession } from './session'
import { type Told, typesByUid } from './told'
import { OthersWhoMay, WhoAsks } from './who-asks'

const title = document.body.dataset['title'] ?? 'Content'

const inWords: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  503: 'Service Unavailable',
}

const isNarrow = (): boolean => matchMedia('(max-width: 60rem)').matches

interface AnswerSectionProps {
  readonly told: Told
  readonly session: Session
  readonly asking: Asking
}

function AnswerSection({ told, session, asking }: AnswerSectionProps): ComponentChildren {
  const { answer, text, trouble, isPending, isExplained, explain, ask } = session
  return (
    <section class="pane answer" aria-label="The answer">
      <h2>The answer</h2>
      {told.explains ? (
        <label class="explain">
          <input
            type="checkbox"
            checked={isExplained}
            onChange={({ currentTarget }) => {
              explain(currentTarget.checked)
            }}
          />{' '}
          Explain
        </label>
      ) : null}
      <p id="status" role="status" class={answer !== null && answer.status >= 400 ? 'failed' : ''}>
        {trouble ??
          (isPending || answer === null ? 'Asking…' : statusOf(answer, inWords[answer.status] ?? ''))}
      </p>
      {answer !== null && answer.text !== text ? (
        <p class="about">
          The query was changed since: this is the answer to <code>{answer.text}</code>
        </p>
      ) : null}
      <OthersWhoMay told={told} session={session} />
      {answer === null ? null : (
        <AnswerPane
          answer={answer}
          asking={asking}
          open={(next) => {
            ask(next)
          }}
        />
      )}
    </section>
  )
}

function Explorer(): ComponentChildren {
  const session = useSession()
  const { told, text, role, token, answer, trouble, isPending, isExplained, asked, write, ask, open } =
    session
  if (told === null)
    return (
      <main>
        <p role="status">{trouble ?? 'Reading what there is…'}</p>
      </main>
    )
  const asking: Asking = { told, role, token, isExplained }
  const grammar = { types: typesByUid(told.types) }
  const isCurrent = answer !== null && answer.text === text
  const fault = isCurrent ? faultOf({ ...answer, at: told.at }, grammar, told.types) : null
  return (
    <>
      <a
        class="skip"
        href="#query"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('query')?.focus()
        }}
      >
        Skip to the query
      </a>
      <header>
        <h1>
          {title} <span class="about">explorer</span>
        </h1>
        <WhoAsks told={told} session={session} />
      </header>
      <main class="panes">
        <section class="pane build" aria-label="What to ask for">
          <details open={!isNarrow()}>
            <summary>
              <h2>What to ask for</h2>
            </summary>
            <Builder
              text={text}
              asking={asking}
              change={(next) => {
                ask(next)
              }}
            />
          </details>
        </section>
        <section class="pane ask" aria-label="What is asked">
          <h2>What is asked</h2>
          <QueryBox {...{ told, grammar, text, fault, isPending, write, ask }} />
          <CodePane told={told} text={text} role={role} change={write} />
          <KeptQueries now={{ role, text }} asked={asked} open={open} />
          <OfferedQueries told={told} open={open} />
        </section>
        <AnswerSection {...{ told, session, asking }} />
      </main>
    </>
  )
}

render(<Explorer />, document.body)
