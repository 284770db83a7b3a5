interface StageTime {
  readonly name: string
  readonly ms: number
  readonly about: string
}

/** The entries of the header `Server-Timing`. */
export function serverTimes(timing: string): readonly StageTime[] {
  return timing.split(',').map((one) => {
    const [name = '', ...parts] = one.split(';').map((part) => part.trim())
    const said = (key: string): string =>
      parts.find((part) => part.startsWith(`${key}=`))?.slice(key.length + 1) ?? ''
    return { name, ms: Number(said('dur')) || 0, about: said('desc').replaceAll('"', '') }
  })
}

/** True for a response from the cache; the router marks the stage `load`. */
export const isFromMemory = (timing: string | null): boolean =>
  timing !== null && serverTimes(timing).some(({ about }) => about === 'from memory')

export const inMs = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : String(Math.round(ms))} ms`

export function inBytes(size: number): string {
  if (size < 1000) return `${String(size)} B`
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`
}
