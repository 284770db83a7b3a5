const dayLength = 86_400_000
const minuteLength = 60_000
const minutesOfDay = 1440

const digits = (value: number, length: number): string => String(value).padStart(length, '0')
const two = (value: number): string => digits(value, 2)
const minutes = Array.from(
  { length: minutesOfDay },
  (_, minute) => `T${two(Math.floor(minute / 60))}:${two(minute % 60)}:`,
)
const seconds = Array.from({ length: 60 }, (_, second) => `${two(second)}.`)
const milliseconds = Array.from({ length: 1000 }, (_, millisecond) => `${digits(millisecond, 3)}Z"`)

/** As far from 1970 as Date goes, either way. */
const last = 100_000_000 * dayLength

/** Some ten years: what is shown was mostly made in few. */
const mostDays = 4000

/** Date's own way to write a day costs several times the rest of an instant, and content has few days. */
function dayWriter(): (day: number) => string {
  const known = new Map<number, string>()
  // Not by `once`, which serves maps of many kinds and takes twice as long: this is done for every instant.
  return (day) => {
    const before = known.get(day)
    if (before !== undefined) return before
    const text = new Date(day * dayLength).toISOString()
    const made = `"${text.slice(0, text.indexOf('T'))}`
    if (known.size >= mostDays) known.clear()
    known.set(day, made)
    return made
  }
}

/** From the milliseconds since 1970, which are read by `read`; null for what is no instant. */
export function instantWriter(read: (value: unknown) => number): (value: unknown) => string {
  const dayText = dayWriter()
  let known = NaN
  let begin = ''
  return (value) => {
    const instant = Math.trunc(read(value))
    if (!(Math.abs(instant) <= last)) return 'null'
    const minute = Math.floor(instant / minuteLength)
    if (minute !== known) {
      const day = Math.floor(minute / minutesOfDay)
      known = minute
      begin = dayText(day) + (minutes[minute - day * minutesOfDay] ?? '')
    }
    const time = instant - minute * minuteLength
    return begin + (seconds[Math.floor(time / 1000)] ?? '') + (milliseconds[time % 1000] ?? '')
  }
}

const [dash, blank, letter] = ['-', ' ', 'A'].map((sign) => sign.charCodeAt(0)) as [number, number, number]

/** PostgreSQL has years before the first and after the 9999th, and ends of time, which are no instants of JSON's. */
function farInstant(text: string): string {
  const [, year, ...rest] = /^(\d+)-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?/.exec(text) ?? []
  if (year === undefined) return 'null'
  const [month, day, hour, minute, second] = rest.map(Number) as [number, number, number, number, number]
  const at = new Date(
    Date.UTC(2000, month - 1, day, hour, minute, second, Number((rest[5] ?? '').padEnd(3, '0'))),
  )
  at.setUTCFullYear(text.endsWith('BC') ? 1 - Number(year) : Number(year), month - 1, day)
  return JSON.stringify(at)
}

/** `2012-01-13 12:12:36.852000`; PostgreSQL leaves out zeros at the end. */
export function instant(value: unknown): string {
  const text = String(value)
  const isNear = text.charCodeAt(4) === dash && text.charCodeAt(10) === blank
  if (!isNear || text.charCodeAt(text.length - 1) >= letter) return farInstant(text)
  if (text.length >= 23) return `"${text.slice(0, 10)}T${text.slice(11, 23)}Z"`
  return `"${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, 23).padEnd(3, '0')}Z"`
}

export function clock(value: unknown): string {
  const text = String(value)
  return `"${text.slice(0, 8)}.${text.slice(9, 12).padEnd(3, '0')}"`
}
