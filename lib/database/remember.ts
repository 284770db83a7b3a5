/** Something read from the database that seldom changes: read again once it is older than `milliseconds`. */
export function remember<T>(read: () => Promise<T>, milliseconds: number): () => Promise<T> {
  let known: Promise<T> | undefined
  let readAt = 0
  return () => {
    const now = Date.now()
    if (known === undefined || now - readAt > milliseconds) {
      readAt = now
      const reading = read()
      known = reading
      // A failed reading must not be remembered: the next one who asks tries again.
      reading.catch(() => {
        if (known === reading) known = undefined
      })
    }
    return known
  }
}
