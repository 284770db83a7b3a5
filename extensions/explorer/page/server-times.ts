/** What a stage of an answer took on the server. */
export interface StageTime {
  readonly name: string
  readonly ms: number
}

interface Metric extends StageTime {
  readonly about: string
}

function metricsIn(timing: string): readonly Metric[] {
  return timing.split(',').map((one) => {
    const [name = '', ...parts] = one.split(';').map((part) => part.trim())
    const said = (key: string): string =>
      parts.find((part) => part.startsWith(`${key}=`))?.slice(key.length + 1) ?? ''
    return { name, ms: Number(said('dur')) || 0, about: said('desc').replaceAll('"', '') }
  })
}

/** Those of the header `Server-Timing`. */
export const serverTimes = (timing: string): readonly StageTime[] => metricsIn(timing)

/** Whether the router had the answer already; it says so of the stage in which it would have read it. */
export const isFromMemory = (timing: string | null): boolean =>
  timing !== null && metricsIn(timing).some(({ about }) => about === 'from memory')
