interface TaggedBody {
  readonly tag: string
  readonly text: string
}

export interface TaggedBodies {
  of(key: string): TaggedBody | undefined
  keep(key: string, tag: string | null, text: string): void
}

/** Characters of all cached bodies. */
const mostLetters = 4_000_000

/** The least recently used body is evicted first. */
export function keepTagged(): TaggedBodies {
  const bodies = new Map<string, TaggedBody>()
  let letters = 0
  const forget = (key: string): void => {
    letters -= key.length + (bodies.get(key)?.text.length ?? -key.length)
    bodies.delete(key)
  }
  return {
    of: (key) => bodies.get(key),
    keep: (key, tag, text) => {
      forget(key)
      if (tag === null || text.length > mostLetters) return
      bodies.set(key, { tag, text })
      letters += key.length + text.length
      for (const oldest of bodies.keys()) {
        if (letters <= mostLetters) break
        forget(oldest)
      }
    },
  }
}
