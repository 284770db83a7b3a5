/** Waits for what others bring about, and looks whenever something has happened. */
export interface Waiting {
  /** Until then, but no longer than so many milliseconds. */
  readonly until: (isSo: () => boolean, milliseconds: number) => Promise<void>
  readonly look: () => void
}

export function makeWaiting(): Waiting {
  const waiting = new Set<() => void>()
  return {
    until: (isSo, milliseconds) =>
      new Promise((resolve) => {
        if (isSo()) {
          resolve()
          return
        }
        const leave = (): void => {
          clearTimeout(timer)
          waiting.delete(look)
          resolve()
        }
        const look = (): void => {
          if (isSo()) leave()
        }
        const timer = setTimeout(leave, milliseconds)
        waiting.add(look)
      }),
    look: () => {
      for (const one of waiting) one()
    },
  }
}
