export interface Gate {
  readonly open: () => void
  readonly opened: Promise<void>
  /** Resolves once so many stand before it. */
  readonly crowd: Promise<void>
  readonly pass: () => Promise<string>
}

/** Holds whoever asks for a role until it is opened. */
export function gateFor(count: number): Gate {
  let open = (): void => undefined
  let gathered = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const crowd = new Promise<void>((resolve) => {
    gathered = resolve
  })
  let standing = 0
  return {
    open: () => {
      open()
    },
    opened,
    crowd,
    pass: async () => {
      standing += 1
      if (standing === count) gathered()
      await opened
      return 'public'
    },
  }
}
