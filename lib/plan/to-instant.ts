import { malformed, type QueryPath } from '../errors'
import { isDay, isInYears } from '../schema'

const dateForm = /^\d{4}-\d{2}-\d{2}/
const timeForm = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?$/
const instantForm =
  /^\d{4}(-\d{2}(-\d{2}([T ]\d{2}(:\d{2}(:\d{2}([.,]\d+)?)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?)?)?$/

const outOfRange = (path: QueryPath): Error =>
  malformed(path, 'Invalid date: it is out of range, the years are 1 to 9999')

/** NaN for what is no instant, though it has the form of one. */
function readInstant(text: string): number {
  const [date = '', rest] = text.replace(' ', 'T').replace(',', '.').split('T')
  if (dateForm.test(date) && !isDay(date)) return NaN
  if (rest === undefined) return Date.parse(date)
  const [, time = '', zone = 'Z'] = /^([\d:.]+)(Z|[+-].*)?$/.exec(rest) ?? []
  const clock = /^\d{2}$/.test(time) ? `${time}:00` : time
  const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  return Date.parse(`${date}T${clock}${offset}`)
}

/** The day that is written, without the time and zone that may stand behind it. */
export function toDate(text: string, path: QueryPath): string {
  const [date] = dateForm.exec(text) ?? []
  if (date === undefined || !instantForm.test(text))
    throw malformed(path, 'Invalid format, expected yyyy-MM-dd')
  if (Number.isNaN(readInstant(text))) throw malformed(path, 'Invalid date')
  if (date.startsWith('0000')) throw outOfRange(path)
  return date
}

/** What is finer than a millisecond is cut off. */
export function toTime(text: string, path: QueryPath): string {
  const parts = timeForm.exec(text)
  if (parts === null) throw malformed(path, 'Invalid time format, expected HH:mm:ss.SSS')
  const [, hours = '', minutes = '', seconds = '00', fraction = ''] = parts
  return `${hours}:${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`
}

/** An ISO date with or without its time, in UTC where it names no zone; or milliseconds since 1970. */
export function toInstant(text: string, path: QueryPath): number {
  const isIso = instantForm.test(text)
  if (!isIso && !/^-?\d+$/.test(text)) {
    throw malformed(path, 'Invalid format, expected a timestamp or an ISO date')
  }
  const value = isIso ? readInstant(text) : Number(text)
  if (Number.isNaN(value)) throw malformed(path, 'Invalid date')
  if (isInYears(value)) return value
  throw outOfRange(path)
}
