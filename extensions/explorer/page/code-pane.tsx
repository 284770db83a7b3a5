import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatAddress, parseAddress } from './address'
import { codeOf, type Language, languagesFor, roleNote } from './code'
import { CopyButton } from './text-buttons'
import { queryInCode } from './typed-query'
import { readObjectForm } from './object-form'
import { Tabs } from './tabs'
import { type PageData, typeAt, typesByUid } from './page-data'

interface CodePaneProps {
  readonly pageData: PageData
  readonly text: string
  readonly role: string
  readonly token: string
  readonly change: (text: string) => void
  readonly ask: () => void
}

function QueryObject({
  pageData,
  text,
  change,
  ask,
}: Omit<CodePaneProps, 'role' | 'token'>): ComponentChildren {
  const { path, query } = parseAddress(text, pageData.at)
  const [draft, setDraft] = useState<string | null>(null)
  useEffect(() => {
    setDraft((own) => {
      const form = own === null ? null : readObjectForm(own)
      return form !== null &&
        'query' in form &&
        formatAddress({ path, query: form.query }, pageData.at) === text
        ? own
        : null
    })
  }, [text])
  const shown = draft ?? JSON.stringify(queryInCode(query), null, 2)
  const form = draft === null ? null : readObjectForm(draft)
  const problem = form !== null && 'problem' in form ? form.problem : null
  return (
    <label class="object">
      <span class="about">
        The query as an object, in JSON or JavaScript
        {problem === null ? '' : `. The query cannot run: ${problem}`}
      </span>
      <textarea
        aria-label="Object form"
        rows={Math.min(16, shown.split('\n').length + 1)}
        spellcheck={false}
        aria-invalid={problem !== null}
        value={shown}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          ask()
        }}
        onInput={({ currentTarget }) => {
          setDraft(currentTarget.value)
          const now = readObjectForm(currentTarget.value)
          if ('query' in now) change(formatAddress({ path, query: now.query }, pageData.at))
        }}
      />
    </label>
  )
}

export function CodePane({ pageData, text, role, token, change, ask }: CodePaneProps): ComponentChildren {
  const asked = parseAddress(text, pageData.at)
  const type = typeAt(pageData.types, asked.path[0] ?? '')
  const who = { role, isNamed: pageData.named.includes(role), hasToken: token !== '' }
  const show = (language: Language): ComponentChildren => {
    const place = { origin: location.origin, at: pageData.at, ask: new URL('ask', location.href).pathname }
    // Only for the open tab, as the code is written again at each key press.
    const code =
      codeOf(language, { ...asked, ...place, ...who, type, types: typesByUid(pageData.types) }) ?? ''
    const note = roleNote(language, who)
    return (
      <>
        <pre class="code" tabIndex={0} role="group" aria-label={`Code for ${language}`}>
          {code}
        </pre>
        {note === '' ? null : <p class="about">{note}</p>}
        <p>
          <CopyButton text={code} />
        </p>
      </>
    )
  }
  const code = languagesFor(type).map((name) => ({ name, show: () => show(name) }))
  return (
    <Tabs
      label="Code"
      tabs={[{ name: 'object', show: () => <QueryObject {...{ pageData, text, change, ask }} /> }, ...code]}
    />
  )
}
