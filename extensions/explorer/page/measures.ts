export const inMs = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : String(Math.round(ms))} ms`

export function inBytes(size: number): string {
  if (size < 1000) return `${String(size)} B`
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`
}
