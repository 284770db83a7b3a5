import { isPromise } from '../access'
import { makeStop } from '../load'

/**
 * What a function of the host answers, if need be later, but before the time for an answer is up: a session store that
 * stalls shall not hold a request for ever, nor the end of the router.
 */
export async function inTime<T>(answer: T | PromiseLike<T>, timeout: number): Promise<T> {
  if (!isPromise(answer)) return answer
  const stop = makeStop(timeout)
  return Promise.race([answer, stop.stopped]).finally(stop.finish)
}
