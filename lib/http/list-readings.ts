import type { Permitted } from '../access'
import { type RawObject, readRaw } from '../query'
import type { Model } from '../schema'
import type {
  CoreRights,
  Extension,
  ListReading,
  PlannedReading,
  PlannedStream,
  ReadEntries,
  ReadingSettings,
  RouteManner,
} from './extension'

/** The readings of extensions that may have parameters of a list. */
export const readingsBeside = (extensions: readonly Extension[] = []): readonly ListReading[] =>
  extensions.flatMap(({ listReading }) => (listReading?.planBeside === undefined ? [] : listReading))

/** The readings of extensions that have a path below a list, and a key in `permissions`. */
export const listReadings = (extensions: readonly Extension[] = []): readonly ListReading[] =>
  extensions.flatMap(({ listReading }) => (listReading?.plan === undefined ? [] : listReading))

/** The readings of a type that the caller may use. */
export const grantedReadings = (
  extensions: readonly Extension[],
  { readingGrants }: Pick<CoreRights, 'readingGrants'>,
  model: Model,
): readonly ListReading[] =>
  listReadings(extensions).filter(({ name }) => readingGrants(model, name).length > 0)

export type AnyPlanned = PlannedReading | PlannedStream

interface ListRequest extends Pick<CoreRights, 'limits' | 'readingGrants'> {
  readonly model: Model
  readonly manner: RouteManner
}

/** Part of the key of a plan, as plans depend on the grants for readings. */
export const keysOfReadings = (readings: readonly ListReading[], request: ListRequest): readonly string[] =>
  readings.map(({ name }) => {
    const isPath = request.manner.reading !== undefined
    return JSON.stringify([isPath, name, request.readingGrants(request.model, name)])
  })

/** Each reading takes its parameters from the query; the last one holds what is left. */
export function planReadings(
  readings: readonly ListReading[],
  request: ListRequest,
  text: string | RawObject,
): readonly AnyPlanned[] {
  const { model, limits, manner, readingGrants } = request
  const planned: AnyPlanned[] = []
  let raw = readRaw(text, limits.query)
  for (const reading of readings) {
    const own = { model, grants: readingGrants(model, reading.name) }
    const next = manner.reading === undefined ? reading.planBeside?.(raw, own) : reading.plan?.(raw, own)
    if (next === null || next === undefined) continue
    planned.push(next)
    raw = next.query
  }
  return planned
}

/** One function for all readings. */
export function compileReadings(
  readings: readonly AnyPlanned[],
  permitted: Permitted,
  settings: ReadingSettings,
): ReadEntries {
  let from = 0
  const reads = readings.flatMap((reading) => {
    const own = permitted.keys.slice(from, from + reading.keys.length)
    from += reading.keys.length
    return 'send' in reading ? [] : reading.compile({ permitted, keys: own }, settings)
  })
  const [only, ...others] = reads
  if (only !== undefined && others.length === 0) return only
  return async (run, page) => {
    const members: object = {}
    for (const read of reads) Object.assign(members, await read(run, page))
    return members
  }
}
