import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { answerNodes } from './answer-node'
import { AnswerTable, Pictures, picturesIn, proseIn, Texts } from './answer-views'
import { type Answer, askAgain, type Asking, type BesideAnswer, bodyOf, type Repeated } from './answer'
import { askedText, readAsked } from './asked'
import { differencesOf } from './difference'
import { entriesOf } from './entry'
import { Explained, explanationIn } from './explained'
import { type ToldType, typeAt, typesByUid } from './told'
import { Tabs } from './tabs'
import { Tree } from './tree'

const inMs = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : String(Math.round(ms))} ms`
const inBytes = (size: number): string =>
  size < 1024 ? `${String(size)} B` : `${(size / 1024).toFixed(1)} KB`

function countOf({ body }: Answer): string {
  const { data, meta } = (typeof body === 'object' && body !== null ? body : {}) as {
    data?: unknown
    meta?: { pagination?: { total?: number } }
  }
  if (!Array.isArray(data)) return ''
  const total = meta?.pagination?.total
  if (data.length === 0) return ', no entries'
  return `, ${String(data.length)}${total === undefined ? '' : ` of ${String(total)}`} ${(total ?? data.length) === 1 ? 'entry' : 'entries'}`
}

function Beside({ ours, theirs }: { ours: Answer; theirs: BesideAnswer }): ComponentChildren {
  if ('problem' in theirs) return <p class="beside">{theirs.problem}</p>
  const differences = differencesOf(ours.body, bodyOf(theirs.text))
  return (
    <section class="beside" aria-label="Beside Strapi">
      <p>
        Here {inMs(ours.ms)}, status {ours.status}; there {inMs(theirs.ms)}, status {theirs.status}:{' '}
        {(theirs.ms / Math.max(ours.ms, 0.1)).toFixed(1)} times as long.
      </p>
      {differences.length === 0 ? (
        <p>The answers are the same.</p>
      ) : (
        <details>
          <summary>{differences.length} differences</summary>
          <div class="wide" tabIndex={0} role="region" aria-label="Differences">
            <table>
              <thead>
                <tr>
                  <th scope="col">where</th>
                  <th scope="col">here</th>
                  <th scope="col">there</th>
                </tr>
              </thead>
              <tbody>
                {differences.map((one) => (
                  <tr key={one.path}>
                    <td>{one.path}</td>
                    <td>{one.ours}</td>
                    <td>{one.theirs}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </section>
  )
}

const times = 20

/** How long it takes on the average, when it is asked again and again. */
function Again({ text, asking }: { text: string; asking: Asking }): ComponentChildren {
  const [repeated, setRepeated] = useState<Repeated | 'running' | null>(null)
  useEffect(() => {
    setRepeated(null)
  }, [text, asking.role])
  return (
    <p class="again">
      <button
        type="button"
        disabled={repeated === 'running'}
        onClick={() => {
          setRepeated('running')
          askAgain(text, asking, times).then(setRepeated, () => {
            setRepeated(null)
          })
        }}
      >
        Again, {times} times
      </button>{' '}
      <span role="status">
        {repeated === null
          ? ''
          : repeated === 'running'
            ? 'Asking…'
            : `median ${inMs(repeated.median)}, from ${inMs(repeated.shortest)} to ${inMs(repeated.longest)}`}
      </span>
    </p>
  )
}

interface AnswerPaneProps {
  readonly answer: Answer
  readonly asking: Asking
  readonly open: (text: string) => void
}

export function AnswerPane({ answer, asking, open }: AnswerPaneProps): ComponentChildren {
  const { told } = asking
  const { body, text } = answer
  const [route = ''] = readAsked(text, told.at).path
  const type = typeAt(told.types, route) ?? null
  const entries = entriesOf(body)
  const pictures = [...picturesIn(body).values()]
  const texts = proseIn(typeof body === 'object' && body !== null ? (body as { data?: unknown }).data : null)
  const explanation = explanationIn(body)
  const openEntry = (of: ToldType, documentId: string): void => {
    const path = of.kind === 'singleType' ? [of.path ?? ''] : [of.path ?? '', documentId]
    open(askedText({ path, query: of.links.length === 0 ? {} : { populate: '*' } }, told.at))
  }
  const reading = { told, types: typesByUid(told.types), open: openEntry }
  const isList = Array.isArray((body as { data?: unknown } | null)?.data)
  const tabs = [
    {
      name: 'Tree',
      show: () => (
        <Tree
          label="Answer as a tree"
          of={text}
          nodes={answerNodes(reading, body, route)}
          isOpenAtFirst={({ id }, level) => level < 3 && id !== 'meta.explain'}
        />
      ),
    },
    ...(isList && entries.length > 0
      ? [
          {
            name: 'Table',
            show: () => (
              <AnswerTable
                entries={entries}
                type={type}
                open={(documentId) => {
                  if (type !== null) openEntry(type, documentId)
                }}
              />
            ),
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
      : [{ name: 'Why and how dear', show: () => <Explained explanation={explanation} /> }]),
    {
      name: 'JSON',
      show: () => (
        <pre class="json" tabIndex={0} aria-label="Answer">
          {typeof body === 'string' ? body : JSON.stringify(body, null, 2)}
        </pre>
      ),
    },
  ]
  return (
    <>
      {answer.timing === null ? null : <p class="about timing">Server-Timing: {answer.timing}</p>}
      {answer.status === 200 ? <Again text={text} asking={asking} /> : null}
      {answer.beside === null ? null : <Beside ours={answer} theirs={answer.beside} />}
      <Tabs label="Answer" tabs={tabs} />
    </>
  )
}

export function statusOf(answer: Answer, ok: string): string {
  const { status, ms, size, role } = answer
  return `${String(status)} ${ok}${role === '' ? '' : ` as ${role}`}${countOf(answer)}, ${inMs(ms)}, ${inBytes(size)}`
}
