/** What the system says of a file, by its code. */
const sentences: Readonly<Record<string, (place: string) => string>> = {
  EACCES: (place) => `${place} may not be read by this user: give them the right to read it.`,
  EPERM: (place) => `${place} may not be read by this user: give them the right to read it.`,
  ENOENT: (place) => `${place} is not there any more: start again once it is.`,
  ENOTDIR: (place) => `${place} is looked for in what is no folder: name it otherwise.`,
  EISDIR: (place) => `${place} is a folder, where a file should be.`,
  ELOOP: (place) => `${place} is a link that leads to itself.`,
  ENOSPC: (place) => `There is no room for ${place}: make some, or have TMPDIR name another disk.`,
  EROFS: (place) => `Nothing can be written where ${place} should be: have TMPDIR name another folder.`,
  EMFILE: (place) => `${place} cannot be opened, as this process has as many files open as it may.`,
}

/** Null where that is not what went wrong. */
export function fileFault(error: unknown): string | null {
  const { code, path, dest } = Object(error) as Readonly<Record<string, unknown>>
  const place = code === 'ENOSPC' || code === 'EROFS' ? (dest ?? path) : path
  if (typeof code !== 'string' || typeof place !== 'string') return null
  return sentences[code]?.(place) ?? null
}
