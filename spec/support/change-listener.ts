import { get, type IncomingMessage } from 'node:http'
import { until } from './told-changes'

export interface HeardEvent {
  readonly event: string
  readonly id: string
  readonly data: unknown
}

/** One who listens to what changes. */
export interface ChangeListener {
  readonly response: IncomingMessage
  readonly events: readonly HeardEvent[]
  readonly text: () => string
  readonly isOver: () => boolean
  readonly hears: (isIt: (event: HeardEvent) => boolean) => Promise<HeardEvent>
  readonly leave: () => void
}

function eventIn(text: string): HeardEvent | null {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  )
  const [event, id, data] = [fields.get('event'), fields.get('id'), fields.get('data')]
  return event === undefined || id === undefined || data === undefined
    ? null
    : { event, id, data: JSON.parse(data) as unknown }
}

export async function listenTo(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ChangeListener> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).on('error', reject)
  })
  const events: HeardEvent[] = []
  let whole = ''
  let rest = ''
  let isOver = false
  response.setEncoding('utf8')
  response.on('data', (piece: string) => {
    whole += piece
    const parts = (rest + piece).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const event = eventIn(part)
      if (event !== null) events.push(event)
    }
  })
  const end = (): void => {
    isOver = true
  }
  response.on('close', end).on('error', end)
  return {
    response,
    events,
    text: () => whole,
    isOver: () => isOver,
    hears: (isIt) => until(() => events.find(isIt), 'no such event was heard'),
    leave: () => response.destroy(),
  }
}
