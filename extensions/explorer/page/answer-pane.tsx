import type { ComponentChildren } from 'preact'
import type { Answer, Asking } from './answer'
import { answerNodes } from './answer-node'
import { AnswerTable, Pictures, picturesIn } from './answer-views'
import { formatAddress, parseAddress } from './address'
import { Beside } from './beside'
import { entriesOf, errorMessageIn } from './entry'
import { Explained, explanationIn } from './explained'
import { drawnResults, groupsIn, GroupsChart } from './groups-chart'
import { Matches, matchesIn } from './matches'
import { withoutTurns } from './plain-text'
import { type TypeData, typeAt, typesByUid } from './page-data'
import { Tabs } from './tabs'
import { proseIn, Texts } from './texts'
import { CopyButton, DownloadButton } from './text-buttons'
import { Tree } from './tree'

interface AnswerPaneProps {
  readonly answer: Answer
  readonly asking: Asking
  readonly open: (text: string) => void
}

function emptiness(body: unknown, isOfDrafts: boolean): ComponentChildren {
  const { meta } = body as { readonly meta?: { readonly pagination?: { readonly total?: number } } }
  const total = meta?.pagination?.total ?? 0
  if (total > 0) return `This page is after the last page. The list has ${String(total)} entries.`
  if (!isOfDrafts) return 'No entries match.'
  return (
    <>
      No entries match. Drafts are excluded; add <code>status=draft</code> to include them.
    </>
  )
}

function Headers({ headers }: Pick<Answer, 'headers'>): ComponentChildren {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Response headers">
      <table>
        {headers.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{withoutTurns(value)}</td>
          </tr>
        ))}
      </table>
    </div>
  )
}

function Json({ text }: { text: string }): ComponentChildren {
  return (
    <pre class="json" tabIndex={0} role="group" aria-label="Response as JSON">
      {text}
    </pre>
  )
}

export function AnswerPane({ answer, asking, open }: AnswerPaneProps): ComponentChildren {
  const { pageData } = asking
  const { body, text } = answer
  const {
    path: [route = '', reading],
    query,
  } = parseAddress(text, pageData.at)
  const type = typeAt(pageData.types, route) ?? null
  const mayBeDrafts = type?.hasDrafts === true && query['status'] === undefined
  const groups = reading === 'aggregate' ? groupsIn(entriesOf(body)) : null
  const entries = groups?.map(({ group, results }) => ({ ...group, ...results })) ?? entriesOf(body)
  const pictures = [...picturesIn(body).values()]
  const texts = proseIn(typeof body === 'object' && body !== null ? (body as { data?: unknown }).data : null)
  const explanation = explanationIn(body)
  const message = errorMessageIn(body)
  const openEntry = (of: TypeData, documentId: string): void => {
    const path = of.kind === 'singleType' ? [of.path ?? ''] : [of.path ?? '', documentId]
    open(formatAddress({ path, query: of.links.length === 0 ? {} : { populate: '*' } }, pageData.at))
  }
  const reader = { pageData, types: typesByUid(pageData.types), open: openEntry }
  const json = withoutTurns(typeof body === 'string' ? body : JSON.stringify(body, null, 2))
  const isList = Array.isArray((body as { data?: unknown } | null)?.data)
  const matches = matchesIn(body, type)
  const openOwn = (documentId: string): void => {
    if (type !== null) openEntry(type, documentId)
  }
  const tabs = [
    ...(matches.length === 0
      ? []
      : [{ name: 'Matches', show: () => <Matches matches={matches} open={openOwn} /> }]),
    ...(groups === null || drawnResults(groups).length === 0
      ? []
      : [{ name: 'Chart', show: () => <GroupsChart rows={groups} /> }]),
    {
      name: 'Tree',
      show: () => (
        <Tree
          label="Response as a tree"
          of={text}
          nodes={answerNodes(reader, body, route)}
          isOpenAtFirst={({ id }, level) => level < 3 && id !== 'meta.explain'}
        />
      ),
    },
    ...(isList && entries.length > 0
      ? [
          {
            name: 'Table',
            show: () => <AnswerTable entries={entries} type={groups === null ? type : null} open={openOwn} />,
          },
        ]
      : []),
    ...(pictures.length > 0
      ? [{ name: `Pictures (${String(pictures.length)})`, show: () => <Pictures pictures={pictures} /> }]
      : []),
    ...(texts.length > 0
      ? [{ name: `Texts (${String(texts.length)})`, show: () => <Texts texts={texts} /> }]
      : []),
    ...(explanation === null
      ? []
      : [{ name: 'Explanation', show: () => <Explained explanation={explanation} /> }]),
    { name: 'JSON', show: () => <Json text={json} /> },
    { name: 'Headers', show: () => <Headers headers={answer.headers} /> },
  ]
  return (
    <>
      {message === null ? null : <p class="refused">{message}</p>}
      {answer.beside === null ? null : <Beside ours={answer} theirs={answer.beside} asking={asking} />}
      {isList && entries.length === 0 ? <p class="empty">{emptiness(body, mayBeDrafts)}</p> : null}
      <Tabs label="Response views" tabs={tabs}>
        <DownloadButton text={json} name={`${route}.${typeof body === 'string' ? 'txt' : 'json'}`} />
        <CopyButton text={json} name="Copy the response" />
      </Tabs>
    </>
  )
}
