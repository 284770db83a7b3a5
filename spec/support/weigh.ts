import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A new context has what the flag of its time grants, so that no process has to be started with it. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

const heldNow = (): number => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Bytes that this process holds on to, once all garbage is gone. */
export async function weigh(): Promise<number> {
  const collect = collector()
  // Buffers are given back some time after the objects that held them.
  for (let least = Infinity; ;) {
    collect()
    await setImmediate()
    const now = heldNow()
    if (now >= least) return least
    least = now
  }
}
