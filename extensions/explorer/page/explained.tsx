import type { ComponentChildren } from 'preact'
import { CopyButton } from './text-buttons'

interface ExplainedStatement {
  readonly reads: string
  readonly sql: string
  readonly sent: number
  readonly rows: number
  readonly ms: number
}

interface ExplainedLevel {
  readonly paths: readonly string[]
  readonly type: string
  readonly shows: string
  readonly statements: readonly ExplainedStatement[]
}

interface Removed {
  readonly path: string
  readonly type: string | null
  readonly because: string
  readonly missing: string
  readonly rules?: readonly string[]
}

export interface Explanation {
  readonly shape: string
  readonly levels: readonly ExplainedLevel[]
  readonly removed: readonly Removed[]
  readonly missingIndexes: readonly string[]
}

export function explanationIn(body: unknown): Explanation | null {
  const { meta } = (typeof body === 'object' && body !== null ? body : {}) as {
    meta?: { explain?: Explanation }
  }
  return meta?.explain ?? null
}

const depthOf = ({ paths }: ExplainedLevel): number => {
  const [path = ''] = paths
  return path === '' ? 0 : path.split('.').length
}

const counted = (count: number, what: string): string => `${String(count)} ${what}${count === 1 ? '' : 's'}`

function Statement({
  statement,
  longest,
}: {
  statement: ExplainedStatement
  longest: number
}): ComponentChildren {
  const { reads, sql, sent, rows, ms } = statement
  return (
    <li>
      {sent === 0 ? null : (
        <span
          class="bar"
          aria-hidden="true"
          style={{ inlineSize: `${String(Math.max(2, (ms / longest) * 100))}%` }}
        />
      )}
      <span>
        {reads}: {sent === 0 ? 'not sent' : `${counted(rows, 'row')}, ${String(ms)} ms`}
      </span>
      <details>
        <summary>SQL</summary>
        <pre tabIndex={0} role="group" aria-label={`SQL of ${reads}`}>
          {sql}
        </pre>
      </details>
    </li>
  )
}

interface LeftOut extends Omit<Removed, 'path'> {
  readonly key: string
  readonly paths: readonly string[]
}

/** Attributes that are left out for the same reason are one line. */
function leftOutTogether(removed: readonly Removed[]): readonly LeftOut[] {
  const groups = new Map<string, LeftOut>()
  for (const { path, ...why } of removed) {
    const above = path.slice(0, path.lastIndexOf('.') + 1)
    const key = JSON.stringify([above, why])
    groups.set(key, { ...why, key, paths: [...(groups.get(key)?.paths ?? []), path] })
  }
  return [...groups.values()]
}

function MissingIndexes({ missingIndexes }: Pick<Explanation, 'missingIndexes'>): ComponentChildren {
  if (missingIndexes.length === 0) return null
  const sql = missingIndexes.map((statement) => `${statement};`).join('\n')
  return (
    <>
      <h3>Missing indexes</h3>
      <p class="about">
        On a table of more than 1,000 rows, these statements make the query fast. A smaller table needs no
        index.
      </p>
      <pre tabIndex={0} role="group" aria-label="SQL of the missing indexes">
        {sql}
      </pre>
      <CopyButton text={sql} name="Copy the SQL of the missing indexes" />
    </>
  )
}

export function Explained({ explanation }: { explanation: Explanation }): ComponentChildren {
  const { levels, removed, shape } = explanation
  const all = levels.flatMap(({ statements }) => statements)
  const longest = Math.max(0.01, ...all.map(({ ms }) => ms))
  const sum = all.reduce((total, { ms }) => total + ms, 0)
  return (
    <section class="explained" aria-label="Explanation">
      <p>
        {counted(
          all.reduce((total, { sent }) => total + sent, 0),
          'statement',
        )}
        ,{' '}
        {counted(
          all.reduce((total, { rows }) => total + rows, 0),
          'row',
        )}
        , {sum.toFixed(2)} ms in the database
      </p>
      {removed.length === 0 ? (
        <p>The response contains all requested data.</p>
      ) : (
        <>
          <h3>Removed</h3>
          <ul class="removed">
            {leftOutTogether(removed).map(({ key, paths, type, because, missing, rules }) => (
              <li key={key}>
                <b>{paths.map((path) => (path === '' ? 'entries' : path)).join(', ')}</b>
                {type === null ? '' : ` (${type})`}: {missing} missing: {because}
                {rules === undefined ? null : <span class="about"> by {rules.join(', ')}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
      <MissingIndexes {...explanation} />
      <h3>Levels</h3>
      <ol class="levels">
        {levels.map((level) => (
          <li
            key={level.paths.join() + level.type}
            style={{ marginInlineStart: `${String(depthOf(level))}rem` }}
          >
            <b>{level.paths.filter((path) => path !== '').join(', ') || 'entries'}</b>{' '}
            <span class="about">
              {level.type}, {level.shows}
            </span>
            {level.statements.length === 0 ? (
              <p class="about">read with the rows of the level above</p>
            ) : (
              <ul>
                {level.statements.map((statement) => (
                  <Statement key={statement.sql} statement={statement} longest={longest} />
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
      <details>
        <summary>Plan in one line</summary>
        <pre tabIndex={0} role="group" aria-label="Plan in one line">
          {shape}
        </pre>
      </details>
    </section>
  )
}
