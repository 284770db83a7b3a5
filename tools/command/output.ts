export interface Output {
  print(text: string): void
  complain(text: string): void
  /** Ends what else goes on until the process ends. */
  readonly until?: AbortSignal
}

export type ExitCode = 0 | 1 | 2
