/** Why nothing can be started: a sentence for the person at the terminal, that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
