/** The samples of Prometheus' text format, by name and labels. */
export function samplesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  )
}

export const samplesIn = async (register: {
  metrics(): Promise<string>
}): Promise<ReadonlyMap<string, number>> => samplesOf(await register.metrics())
