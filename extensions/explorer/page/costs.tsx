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

const counted = (hits: number): string => `${String(hits)} cache ${hits === 1 ? 'hit' : 'hits'}`

function inWords({ repeated, unchanged }: Measured): string {
  const { median, shortest, longest, kept } = repeated
  const memory = kept === null ? '' : kept === 0 ? ', all read from the database' : `, ${counted(kept)}`
  const tag = unchanged === null ? '' : `; 304 Not Modified in ${inMs(unchanged)}`
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
        Benchmark ×{times}
      </button>{' '}
      <span role="status">
        {measured === null ? '' : measured === 'running' ? 'Running…' : inWords(measured)}
      </span>
    </p>
  )
}

export function Costs({ answer, asking }: { answer: Answer; asking: Asking }): ComponentChildren {
  const { timing, status } = answer
  // Rejected requests read no rows.
  if (timing === null && status !== 200) return null
  return (
    <>
      {status === 200 ? <Again {...{ answer, asking }} /> : null}
      {timing === null ? (
        <p class="about">
          To show stage times and cache hits, set the option <code>serverTiming</code> of the extension{' '}
          <code>observe()</code>.
        </p>
      ) : (
        <Stages timing={timing} />
      )}
    </>
  )
}
