/** What a parser says of a text that ends too early, or of where it stopped. */
function stopsAt(text: string): number | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    const message = (error as Error).message
    const [, position] = /at position (\d+)/.exec(message) ?? []
    if (position !== undefined) return Number(position)
    return message.startsWith('Unexpected end') ? text.length : null
  }
}

/** The longest beginning of the text with which nothing is wrong but that it ends; some faults are told without a place. */
function searchPlace(text: string): number {
  let [right, wrong] = [0, text.length]
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2)
    if (stopsAt(text.slice(0, middle)) === middle) right = middle
    else wrong = middle
  }
  return right
}

/** Where a text stops being JSON, as editors count. */
export function jsonPlace(text: string): string {
  const before = text.slice(0, stopsAt(text) ?? searchPlace(text)).split('\n')
  return `line ${String(before.length)}, column ${String((before.at(-1) ?? '').length + 1)}`
}
