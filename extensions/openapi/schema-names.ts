import type { Uid } from '../../lib/schema'
import type { ShownType } from '../../lib/describe'

/** Generators derive identifiers from them, so only these characters are safe. */
const inPascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

/** `api::article.article` is `Article`, `story.prose` is `StoryProse`. */
function wordsOf(uid: Uid): string {
  const parts = uid.replace(/^.*::/, '').split('.').map(inPascalCase)
  const name = [...new Set(parts)].join('')
  return /^[A-Z]/.test(name) ? name : `Type${name}`
}

/** The wanted name, or the name with the first unused number. */
export function unusedName(taken: Set<string>, wanted: string): string {
  let name = wanted
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}${String(count)}`
  taken.add(name)
  return name
}

export interface SchemaNames {
  readonly of: (uid: Uid) => string
  readonly tagged: (uid: Uid) => string
}

/** Numbers in the order of the visible types, so that names reveal no hidden type. */
export function schemaNames(types: readonly ShownType[], taken: Set<string>): SchemaNames {
  const uids = types.map(({ model: { uid } }) => uid)
  const namesBy = (wanted: (uid: Uid) => string): ((uid: Uid) => string) => {
    const names = new Map(uids.map((uid) => [uid, unusedName(taken, wanted(uid))]))
    return (uid) => names.get(uid) ?? uid
  }
  const plain = namesBy(wordsOf)
  return {
    of: plain,
    tagged: namesBy((uid) => `Tagged${plain(uid)}`),
  }
}
