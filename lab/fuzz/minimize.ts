type Holds = (path: string) => Promise<boolean>

interface Trying {
  readonly holds: Holds
  /** Whether there is no time left: to put a long text together for nothing, once for each letter, takes minutes. */
  readonly isOver: () => boolean
}

/** Leaves out one piece after the other for as long as what is left still does it. */
async function without(
  parts: readonly string[],
  glue: string,
  { holds, isOver }: Trying,
): Promise<readonly string[]> {
  let kept = parts
  for (let size = Math.ceil(parts.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length && !isOver();) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)]
      if (await holds(fewer.join(glue))) kept = fewer
      else from += size
    }
  }
  return kept
}

/**
 * A path as short as can be found in so many milliseconds, of which it still holds. A finding that is not at its smallest
 * says enough; a run that does not end says nothing.
 */
export async function minimize(path: string, holds: Holds, mostTime: number): Promise<string> {
  const [place = '', query = ''] = path.split(/\?(.*)/s)
  const until = performance.now() + mostTime
  const tried: Trying = {
    holds: (text) => holds(`${place}?${text}`),
    isOver: () => performance.now() >= until,
  }
  const parameters = await without(query.split('&'), '&', tried)
  const signs = await without(Array.from(parameters.join('&')), '', tried)
  return `${place}?${signs.join('')}`
}
