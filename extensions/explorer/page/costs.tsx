import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Answer, askAgain, askIfChanged, type Asking, type Repeated } from './answer'
import { serverTimes, inMs } from './server-times'

function Stages({ timing }: { timing: string }): ComponentChildren {
  const times = serverTimes(timing)
  const sum = times.reduce((total, { ms }) => total + ms, 0)
  return (
    <div class="timing">
      <span class="stages" aria-hidden="true">
        {times.map(({ name, ms }) => (
          <span key={name} class={`stage ${name}`} style={{ flexGrow: ms }} />
        ))}
      </span>
      <p class="about">
        Server-Timing {inMs(sum)}:{' '}
        {times.map(({ name, ms }) => (
          <Fragment key={name}>
            <span class="nobr">
              <span class={`dot ${name}`} aria-hidden="true" /> {name} {ms.toFixed(1)}
            </span>{' '}
          </Fragment>
        ))}
      </p>
    </div>
  )
}

const times = 20

interface Measured {
  readonly repeated: Repeated
  readonly unchanged: number | null
}

function inWords({ repeated, unchanged }: Measured): string {
  const { median, shortest, longest, kept } = repeated
  const memory =
    kept === null ? '' : kept === 0 ? ', each read from the database' : `, ${String(kept)} from memory`
  const tag = unchanged === null ? '' : `; that nothing changed (304) is told in ${inMs(unchanged)}`
  return `median ${inMs(median)}, from ${inMs(shortest)} to ${inMs(longest)}${memory}${tag}`
}

function Again({ answer, asking }: { answer: Answer; asking: Asking }): ComponentChildren {
  const [measured, setMeasured] = useState<Measured | 'running' | null>(null)
  useEffect(() => {
    setMeasured(null)
  }, [answer])
  const measure = async (): Promise<Measured> => ({
    repeated: await askAgain(answer.text, asking, times),
    unchanged: await askIfChanged(answer, asking),
  })
  return (
    <p class="again">
      <button
        type="button"
        aria-disabled={measured === 'running'}
        onClick={() => {
          // A disabled button loses the focus, and keyboard users their place.
          if (measured === 'running') return
          setMeasured('running')
          measure().then(setMeasured, () => {
            setMeasured(null)
          })
        }}
      >
        Again, {times} times
      </button>{' '}
      <span role="status">
        {measured === null ? '' : measured === 'running' ? 'Asking…' : inWords(measured)}
      </span>
    </p>
  )
}

export function Costs({ answer, asking }: { answer: Answer; asking: Asking }): ComponentChildren {
  const { timing, status } = answer
  // Rejected requests read no rows.
  if (timing === null && status !== 200) return null
  return (
    <div class="costs">
      {timing === null ? (
        <p class="about">
          What took how long, and whether it was read or kept, is told where <code>serverTiming</code> of the
          extension <code>observe()</code> is set.
        </p>
      ) : (
        <Stages timing={timing} />
      )}
      {status === 200 ? <Again {...{ answer, asking }} /> : null}
    </div>
  )
}
