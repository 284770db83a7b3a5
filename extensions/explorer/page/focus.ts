/** Before a button goes away with what it removes: whoever has no mouse would have to begin at the top of the page again. */
export function goOnNear(button: HTMLElement): void {
  button.closest('fieldset, details')?.querySelector<HTMLElement>('summary, select')?.focus()
}

export function goToQuery(): void {
  document.getElementById('query')?.focus()
}
