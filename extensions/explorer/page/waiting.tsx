import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Seconds since the request, hidden from screen readers, which would read every second. */
export function Waiting(): ComponentChildren {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const begun = performance.now()
    const clock = setInterval(() => {
      setSeconds(Math.round((performance.now() - begun) / 1000))
    }, 1000)
    return () => {
      clearInterval(clock)
    }
  }, [])
  return <span aria-hidden="true">{seconds === 0 ? '' : ` ${String(seconds)} s`}</span>
}
