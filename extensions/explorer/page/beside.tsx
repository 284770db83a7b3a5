import type { ComponentChildren } from 'preact'
import { type Answer, type Asking, type BesideAnswer, bodyOf } from './answer'
import { isEntry } from './entry'
import { inMs } from './server-times'

/** A path at which two responses differ, and both values. */
interface Difference {
  readonly path: string
  readonly ours: string
  readonly theirs: string
}

const most = 100
const nothing = Symbol('nothing')

const short = (value: unknown): string => {
  if (value === nothing) return 'missing'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function compare(ours: unknown, theirs: unknown, path: string, found: Difference[]): void {
  if (found.length >= most || Object.is(ours, theirs)) return
  if (!isTable(ours) || !isTable(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) {
    found.push({ path, ours: short(ours), theirs: short(theirs) })
    return
  }
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const own = (value: Readonly<Record<string, unknown>>): unknown =>
      Object.hasOwn(value, name) ? value[name] : nothing
    compare(own(ours), own(theirs), path === '' ? name : `${path}.${name}`, found)
  }
}

/** The order of names in an object is ignored; the order of lists is compared. */
function differencesOf(ours: unknown, theirs: unknown): readonly Difference[] {
  const found: Difference[] = []
  compare(ours, theirs, '', found)
  return found
}

interface TimeProps {
  readonly name: string
  readonly ms: number
  readonly longest: number
}

function Time({ name, ms, longest }: TimeProps): ComponentChildren {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">{inMs(ms)}</td>
      <td class="wide-bar" aria-hidden="true">
        <span class="bar" style={{ inlineSize: `${String(Math.max(1, (ms / longest) * 100))}%` }} />
      </td>
    </tr>
  )
}

/** Strapi sends no explanation, and that is no difference. */
function withoutExplanation(body: unknown): unknown {
  if (!isEntry(body) || !isEntry(body['meta'])) return body
  const meta = Object.entries(body['meta']).filter(([name]) => name !== 'explain')
  return { ...body, meta: Object.fromEntries(meta) }
}

interface BesideProps {
  readonly ours: Answer
  readonly theirs: BesideAnswer | 'awaited'
  readonly asking: Asking
}

export function Beside({ ours, theirs, asking }: BesideProps): ComponentChildren {
  if (theirs === 'awaited') return <p class="beside">Waiting for Strapi…</p>
  if ('problem' in theirs) return <p class="beside">{theirs.problem}</p>
  const differences = differencesOf(withoutExplanation(ours.body), bodyOf(theirs.text))
  const here = theirs.here ?? ours.ms
  const longest = Math.max(here, theirs.ms)
  const { role, token } = asking
  const count = `${String(differences.length)} ${differences.length === 1 ? 'difference' : 'differences'}`
  return (
    <section class="beside" aria-label="Comparison with Strapi">
      <table class="times">
        <tbody>
          <Time name="here" ms={here} longest={longest} />
          <Time name="Strapi" ms={theirs.ms} longest={longest} />
        </tbody>
      </table>
      <p>
        Strapi takes {(theirs.ms / Math.max(here, 0.1)).toFixed(1)} times as long
        {ours.status === theirs.status
          ? ''
          : `; status ${String(ours.status)} here, ${String(theirs.status)} from Strapi`}
        . {differences.length === 0 ? 'The responses are equal.' : ''}
      </p>
      <p class="about">
        This API responds to {role === '' ? 'your session' : `the role ${role}`}, Strapi to{' '}
        {token === '' ? 'an anonymous caller' : 'the owner of the token'}. Different permissions cause
        differences.
      </p>
      {differences.length === 0 ? null : (
        <details>
          <summary>{count}</summary>
          <div class="wide" tabIndex={0} role="region" aria-label="Differences">
            <table>
              <thead>
                <tr>
                  <th scope="col">where</th>
                  <th scope="col">here</th>
                  <th scope="col">Strapi</th>
                </tr>
              </thead>
              <tbody>
                {differences.map((one) => (
                  <tr key={one.path}>
                    <td>{one.path === '' ? 'the whole response' : one.path}</td>
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
