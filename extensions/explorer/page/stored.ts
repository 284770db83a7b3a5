type Kind = 'localStorage' | 'sessionStorage'

/** Null if there is no value, or no storage. */
export function readStored(kind: Kind, key: string): unknown {
  try {
    return JSON.parse(window[kind].getItem(key) ?? 'null')
  } catch {
    return null
  }
}

/** Null removes the value. Without storage, nothing outlasts the page. */
export function writeStored(kind: Kind, key: string, value: unknown): void {
  try {
    if (value === null) window[kind].removeItem(key)
    else window[kind].setItem(key, JSON.stringify(value))
  } catch {
    return
  }
}
