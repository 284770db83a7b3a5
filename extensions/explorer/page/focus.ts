/** A removed button loses the focus; keyboard users would start at the top of the page again. */
export function goOnNear(button: HTMLElement): void {
  button.closest('fieldset, details')?.querySelector<HTMLElement>('summary, select')?.focus()
}

export function goToQuery(): void {
  document.getElementById('query')?.focus()
}
