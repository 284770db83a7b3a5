export interface Load {
  readonly paths: readonly string[]
  readonly connections: number
  readonly amount: number
}

export interface Driven {
  readonly seconds: number
  /** Milliseconds from a question to the end of its answer. */
  readonly p50: number
  readonly p99: number
}

let cursor = 0

/** Connections go through a list of paths each in a part of its own, and the next run goes on from there. */
export function nextPart({ paths, connections, amount }: Load): string[] {
  const start = cursor % paths.length
  cursor += Math.ceil(amount / connections)
  const length = Math.min(paths.length, 2 * Math.ceil(amount / connections))
  return Array.from({ length }, (_, index) => paths[(start + index) % paths.length] ?? '')
}
