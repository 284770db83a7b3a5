import type { Output } from './output'

interface Stream {
  readonly isTTY?: boolean | undefined
  readonly write: (text: string) => unknown
}

/** As in Node, FORCE_COLOR wins over NO_COLOR, and an empty NO_COLOR counts as unset. */
function hasColors({ isTTY = false }: Stream, env: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused = '', TERM: terminal } = env
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTTY && refused === '' && terminal !== 'dumb'
}

type Paint = (text: string) => string

/** `styleText` of Node needs 20.12. */
const paintWith =
  (start: number, end: number): Paint =>
  (text) =>
    `\u001b[${String(start)}m${text}\u001b[${String(end)}m`

const [bold, red, yellow] = [paintWith(1, 22), paintWith(31, 39), paintWith(33, 39)]

/** The first line says what happened. Warnings begin with this word. */
const colored: Paint = (text) =>
  text.startsWith('warning: ')
    ? text.replace(/^warning:/, yellow)
    : text.replace(/^.+/, (first) => red(first))

/** Shorter work shows nothing, in milliseconds. */
const quiet = 2000

const clearLine = '\r\u001b[K'

interface ProgressLine {
  readonly beginStep: NonNullable<Output['beginStep']>
  /** Frees the line for other text; it is shown again below. */
  readonly hide: () => void
}

function makeProgressLine(stream: Stream): ProgressLine {
  let isShown = false
  const hide = (): void => {
    if (isShown) stream.write(clearLine)
    isShown = false
  }
  const beginStep: ProgressLine['beginStep'] = (name) => {
    const start = performance.now()
    const timer = setInterval(() => {
      const ms = performance.now() - start
      if (ms < quiet) return
      stream.write(
        `${clearLine}${typeof name === 'string' ? name : name()} … ${String(Math.floor(ms / 1000))} s`,
      )
      isShown = true
    }, 500)
    return () => {
      clearInterval(timer)
      hide()
    }
  }
  return { beginStep, hide }
}

/** Text for a terminal, a pipe or a file: colours and progress are for terminals. */
export function terminalOutput(stdout: Stream, stderr: Stream, env: NodeJS.ProcessEnv): Output {
  const progress = stderr.isTTY === true ? makeProgressLine(stderr) : null
  const paint: Paint = hasColors(stderr, env) ? colored : (text) => text
  return {
    print: (text) => {
      progress?.hide()
      stdout.write(`${text}\n`)
    },
    complain: (text) => {
      progress?.hide()
      stderr.write(`${paint(text)}\n`)
    },
    ...(hasColors(stdout, env) && { emphasize: bold }),
    ...(progress !== null && { beginStep: progress.beginStep }),
  }
}
