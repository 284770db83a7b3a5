// `--texts`: what it costs that texts differ, each kind of difference in a process of its own beside one text.
import type { Prepared } from './data/prepare'
import { bodyOf, contend } from './measure/compare'
import { forgetProfile, sayProfile } from './measure/profile'
import { run } from './measure/run'
import { type RunningSide, startSide } from './measure/running-side'
import type { Options } from './options'
import { type Measured, sayRatios } from './report'
import { everything, type Known } from './requests'

/** Without totals, which would be counted once for one text and again for every other. */
const uncounted = `/api/articles?${everything}&pagination[withCount]=false`

const upTo = (count: number): number[] => [...Array(count).keys()]

const conditions = (attributes: readonly string[], operators: readonly string[]): string[] =>
  attributes.flatMap((attribute) => operators.map((operator) => `[${attribute}]${operator}`))

/** True of every article, so that answers and what they take do not differ. */
const alwaysTrue = [
  ...conditions(['id', 'views', 'rating'], ['[$gt]=-1', '[$gte]=-1', '[$ne]=-1', '[$notIn]=-1']),
  ...conditions(['title', 'slug', 'summary', 'documentId'], ['[$ne]=-', '[$notIn]=-', '[$notNull]=true']),
  ...conditions(['createdAt', 'updatedAt', 'publishedAt'], ['[$gt]=1970-01-01', '[$notNull]=true']),
  ...conditions(['featured', 'releasedOn', 'body'], ['[$notNull]=true']),
]

const two = (first: string, second: string): string =>
  `${uncounted}&filters[$and][0]${first}&filters[$and][1]${second}`

const withValues = (count: number): readonly string[] =>
  upTo(count).map((number) => two(`[views][$gt]=-${String(number + 1)}`, '[title][$ne]=-'))

const withShapes = (count: number): readonly string[] =>
  alwaysTrue
    .flatMap((first, index) => alwaysTrue.slice(index + 1).map((second) => two(first, second)))
    .slice(0, count)

/** Of texts that come again, once they have come nine times: PostgreSQL plans what it keeps prepared anew until then. */
const kinds = [
  { name: 'one', title: 'one text', paths: withValues(1), warm: 1500 },
  { name: 'values', title: '500 texts in turn that differ in values', paths: withValues(500), warm: 1500 },
  {
    name: 'shapes',
    title: '500 texts in turn that differ in what they ask',
    paths: withShapes(500),
    warm: 4500,
  },
  { name: 'fresh', title: 'no text twice', paths: withValues(50_000), warm: 1500 },
] as const

/** Some of each: to have asked all of them would be to have warmed them all. */
const compared = 5

async function sameBody(sides: readonly RunningSide[], pathsOf: (side: RunningSide) => readonly string[]) {
  const bodies = new Set<string>()
  for (const side of sides) {
    for (const path of pathsOf(side).slice(-compared)) bodies.add(await bodyOf(side, path))
  }
  const [body = ''] = bodies
  if (bodies.size > 1) throw new Error('texts that should be answered the same are not')
  return body
}

/** One connection: where several ask for the one text at once, one reading answers them all. */
export async function measureTexts(prepared: Prepared, known: Known, given: Options): Promise<Measured[]> {
  const { name: database, serverPid, bench, recorded, recordedTypes } = prepared
  const options = { ...given, connections: 1 }
  const serving = { name: database, bench, recorded, recordedTypes, side: 'ours', asStrapi: false } as const
  const sides: RunningSide[] = []
  forgetProfile()
  try {
    for (const { name } of kinds) sides.push({ ...(await startSide({ ...serving, ...known }, [])), name })
    const kindOf = ({ name }: RunningSide): (typeof kinds)[number] =>
      kinds.find((kind) => kind.name === name) ?? kinds[0]
    const pathsOf = (side: RunningSide): readonly string[] => kindOf(side).paths
    const bytes = Buffer.byteLength(await sameBody(sides, pathsOf))
    for (const side of sides)
      await run(side, serverPid, { ...options, paths: pathsOf(side), amount: kindOf(side).warm })
    const runs = await contend({ ...options, sides, serverPid, pathsOf })
    return kinds.slice(1).map(({ name, title }) => {
      const pair = { one: runs['one'] ?? [], [name]: runs[name] ?? [] }
      const measured = { database, request: name, title: `Q3 with a filter, ${title}`, bytes, runs: pair }
      sayRatios(measured, name)
      return measured
    })
  } finally {
    await Promise.all(sides.map((side) => side.stop()))
    if (options.profile !== '') sayProfile(`${database}, ${options.profile}`)
  }
}
