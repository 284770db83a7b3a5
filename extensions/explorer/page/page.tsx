import { type ComponentChildren, render } from 'preact'
import type { Asking } from './answer'
import { AnswerSection } from './answer-section'
import { parseAddress } from './address'
import { Builder } from './builder'
import { CodePane } from './code-pane'
import { faultOf, ignoredIn } from './fault'
import { goToQuery } from './focus'
import { SavedQueries } from './saved-queries'
import { useLocales } from './locales'
import { OfferedQueries } from './offered-queries'
import { Panes } from './panes'
import { QueryBox } from './query-box'
import { type Session, useSession } from './session'
import { typeAt, typesByUid } from './page-data'
import { RoleChooser } from './role-chooser'

const title = document.body.dataset['title'] ?? 'Content'

/** Stacked panes start with secondary parts collapsed. */
const isThreeColumns = matchMedia('(min-width: 70rem)').matches

/** Shown before the types are known, and if they cannot be read. */
function Opening({ trouble, role, askAs }: Session): ComponentChildren {
  return (
    <main class="opening">
      <h1>{title}</h1>
      <p role="status">{trouble ?? 'Loading content types…'}</p>
      {trouble === null ? null : (
        <>
          {role === '' ? null : (
            <p>The link requests the role {role}. Your session may have no access to this role.</p>
          )}
          <p class="asking">
            {role === '' ? null : (
              <button
                type="button"
                class="main"
                onClick={() => {
                  askAs('')
                }}
              >
                Use my session
              </button>
            )}
            <button
              type="button"
              onClick={() => {
                location.reload()
              }}
            >
              Try again
            </button>
          </p>
        </>
      )}
    </main>
  )
}

function Explorer(): ComponentChildren {
  const session = useSession()
  const { pageData, text, role, token, answer, isPending, isExplained, trouble } = session
  const { asked, write, ask, open, stop } = session
  const asking: Asking | null = pageData === null ? null : { pageData, role, token, isExplained }
  const type =
    pageData === null ? undefined : typeAt(pageData.types, parseAddress(text, pageData.at).path[0] ?? '')
  const locales = useLocales(asking, type)
  if (pageData === null || asking === null) return <Opening {...session} />
  const grammar = { types: typesByUid(pageData.types), locales }
  const isCurrent = answer !== null && answer.text === text
  const ignored =
    isCurrent && answer.status === 200 && type !== undefined ? ignoredIn(text, grammar, type) : null
  const fault = isCurrent
    ? (faultOf({ ...answer, at: pageData.at }, grammar, pageData.types) ?? ignored)
    : null
  return (
    <>
      <a
        class="skip"
        href="#query"
        onClick={(event) => {
          event.preventDefault()
          goToQuery()
        }}
      >
        Skip to the query
      </a>
      <header>
        <h1>
          <img src="icon.svg" alt="" width="20" height="20" /> {title} <span class="about">explorer</span>
        </h1>
        <RoleChooser pageData={pageData} session={session} />
      </header>
      <Panes
        {...{ isPending, trouble }}
        isExplained={fault !== null}
        build={<Builder {...{ text, asking, locales }} change={ask} />}
        query={
          <>
            <h2>Request</h2>
            <QueryBox {...{ pageData, grammar, text, fault, isPending, write, ask, stop }} />
            <details class="part" open={isThreeColumns}>
              <summary>Code</summary>
              <CodePane {...{ pageData, text, role, token, ask }} change={write} />
            </details>
            <SavedQueries now={{ role, text }} asked={asked} open={open} />
            <OfferedQueries {...{ pageData, open }} isOpen={isThreeColumns} />
          </>
        }
        response={<AnswerSection {...{ pageData, session, asking }} />}
      />
    </>
  )
}

render(<Explorer />, document.body)
