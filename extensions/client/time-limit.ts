/** Maximum of timers. */
const longestTime = 2 ** 31 - 1

const tooLate = (ms: number): DOMException =>
  new DOMException(`No answer came within ${String(ms)} ms`, 'TimeoutError')

/**
 * Fails after the timeout or the caller's abort. Node 20 may collect a signal of `AbortSignal.any` too early, and older
 * browsers have none.
 */
export async function withTimeLimit<T>(
  ms: number | undefined,
  given: AbortSignal | undefined,
  run: (signal?: AbortSignal) => Promise<T>,
): Promise<T> {
  if (ms === undefined) return run(given)
  const ending = new AbortController()
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => {
      reject(ending.signal.reason as Error)
    })
  })
  const end = (): void => {
    ending.abort(given?.reason)
  }
  const timer = setTimeout(
    () => {
      ending.abort(tooLate(ms))
    },
    Math.min(ms, longestTime),
  )
  given?.addEventListener('abort', end)
  if (given?.aborted === true) end()
  try {
    return await Promise.race([ended, run(ending.signal)])
  } finally {
    clearTimeout(timer)
    given?.removeEventListener('abort', end)
  }
}
