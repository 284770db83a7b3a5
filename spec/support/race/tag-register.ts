import type { Answer } from '../asker'

/** Which bodies came with which tag, from which of several that answer. */
export interface TagRegister {
  readonly add: (answer: Answer, at: { readonly path: string; readonly place: number }) => void
  readonly size: () => number
  /** How many were given by more than one. */
  readonly ofSeveral: () => number
  /** Those that stand for two bodies. */
  readonly ofTwoBodies: () => readonly string[]
}

interface Tagged {
  readonly bodies: Set<string>
  readonly places: Set<number>
}

export function makeTagRegister(): TagRegister {
  const tags = new Map<string, Tagged>()
  const where = (is: (tagged: Tagged) => boolean): readonly string[] =>
    [...tags].filter(([, tagged]) => is(tagged)).map(([tag]) => tag)
  return {
    add: ({ headers: { etag }, body }, { path, place }) => {
      if (etag === undefined) return
      const key = `${path} ${etag}`
      const tagged = tags.get(key) ?? { bodies: new Set(), places: new Set() }
      tagged.bodies.add(body)
      tagged.places.add(place)
      tags.set(key, tagged)
    },
    size: () => tags.size,
    ofSeveral: () => where(({ places }) => places.size > 1).length,
    ofTwoBodies: () => where(({ bodies }) => bodies.size > 1),
  }
}
