import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { askedText, isTable, type QueryTable, type QueryValue, readAsked } from './asked'
import { codeOf, languages, queryInCode } from './code'
import { Tabs } from './tabs'
import { type Told, typeAt } from './told'

interface CodePaneProps {
  readonly told: Told
  readonly text: string
  readonly role: string
  readonly change: (text: string) => void
}

/** All that is no text is written as the text that a URL has. */
function inQuery(value: unknown): QueryValue {
  if (Array.isArray(value)) return value.map(inQuery)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inQuery(one)]))
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
}

function queryIn(json: string): QueryTable | null {
  try {
    const query = inQuery(JSON.parse(json))
    return isTable(query) ? query : null
  } catch {
    return null
  }
}

function QueryObject({ told, text, change }: Omit<CodePaneProps, 'role'>): ComponentChildren {
  const { path, query } = readAsked(text, told.at)
  const [draft, setDraft] = useState<string | null>(null)
  useEffect(() => {
    setDraft((own) =>
      own !== null && askedText({ path, query: queryIn(own) ?? {} }, told.at) === text ? own : null,
    )
  }, [text])
  const shown = draft ?? JSON.stringify(queryInCode(query), null, 2)
  const isWrong = draft !== null && queryIn(draft) === null
  return (
    <label class="object">
      <span class="about">The query as an object, in JSON{isWrong ? ': not whole yet' : ''}</span>
      <textarea
        aria-label="Object form"
        rows={Math.min(16, shown.split('\n').length + 1)}
        spellcheck={false}
        aria-invalid={isWrong}
        value={shown}
        onInput={({ currentTarget }) => {
          setDraft(currentTarget.value)
          const now = queryIn(currentTarget.value)
          if (now !== null) change(askedText({ path, query: now }, told.at))
        }}
      />
    </label>
  )
}

function Copied({ code }: { code: string }): ComponentChildren {
  const [said, setSaid] = useState('')
  useEffect(() => {
    setSaid('')
  }, [code])
  return (
    <p>
      <button
        type="button"
        onClick={() => {
          navigator.clipboard.writeText(code).then(
            () => {
              setSaid('Copied')
            },
            () => {
              setSaid('The browser does not let a page copy here: mark it, and copy it yourself')
            },
          )
        }}
      >
        Copy
      </button>{' '}
      <span role="status">{said}</span>
    </p>
  )
}

/** The query as an object, and as programs ask it. */
export function CodePane({ told, text, role, change }: CodePaneProps): ComponentChildren {
  const asked = readAsked(text, told.at)
  const type = typeAt(told.types, asked.path[0] ?? '')
  const code = languages.flatMap((language) => {
    const written = codeOf(language, { ...asked, type, origin: location.origin, at: told.at, role })
    if (written === null) return []
    const show = (): ComponentChildren => (
      <>
        <pre class="code" tabIndex={0} aria-label={`Code for ${language}`}>
          {written}
        </pre>
        <Copied code={written} />
      </>
    )
    return [{ name: language, show }]
  })
  return (
    <Tabs
      label="In other words"
      tabs={[
        { name: 'object', show: () => <QueryObject told={told} text={text} change={change} /> },
        ...code,
      ]}
    />
  )
}
