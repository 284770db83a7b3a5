/**
 * Servers that speak a database's language and commit on more nodes than the one that is asked, or store what others
 * write, by what they tell of themselves: their version, or an extension, function or variable that only they have.
 */
const signs: readonly (readonly [name: string, sign: RegExp])[] = [
  ['CockroachDB', /^CockroachDB\b/],
  ['YugabyteDB', /-YB-\d/],
  ['Citus', /^citus$/],
  ['TiDB', /-TiDB\b/i],
  ['Vitess', /-(?:Vitess|PlanetScale)\b/i],
  ['Aurora', /^aurora_version$/],
]

/** The name of a server whose counter does not count all that is committed to what it reads; null of any other. */
export const uncountedServer = (words: readonly string[]): string | null =>
  signs.find(([, sign]) => words.some((word) => sign.test(word)))?.[0] ?? null
