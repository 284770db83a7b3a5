import type { Choice } from './fixed-choices'
import { type Grammar, placeAt } from './places'
import { typeAt, type TypeData } from './page-data'
import { decoded } from './plain-text'

/** Completions, and the part of the text that they replace. */
export interface Completion {
  readonly from: number
  readonly to: number
  readonly choices: readonly Completing[]
}

export interface Completing {
  readonly text: string
  readonly about: string
  readonly insert: string
}

const most = 60

/** Prefix matches first, then substring matches. */
function fitting(
  choices: readonly Choice[],
  written: string,
  insert: (choice: Choice) => string,
): readonly Completing[] {
  const word = written.toLowerCase()
  const begins = choices.filter(({ text }) => text.toLowerCase().startsWith(word))
  const has = choices.filter(
    ({ text }) => !begins.some((one) => one.text === text) && text.toLowerCase().includes(word),
  )
  return [...begins, ...has]
    .slice(0, most)
    .map((choice) => ({ text: choice.text, about: choice.about, insert: insert(choice) }))
}

/** `populate[author][fie` → the names before the last bracket, and the unfinished name. */
function namesOf(key: string): {
  readonly path: readonly string[]
  readonly written: string
  readonly isOpen: boolean
} {
  const [top = '', ...more] = key.split('[')
  const names = [top, ...more.map((name) => name.replace(/\]$/, ''))].map(decoded)
  const isOpen = more.length > 0 && !key.endsWith(']')
  return more.length > 0 && !isOpen
    ? { path: names, written: '', isOpen: false }
    : { path: names.slice(0, -1), written: names.at(-1) ?? '', isOpen }
}

interface Typing {
  readonly grammar: Grammar
  readonly type: TypeData
  readonly pair: string
  readonly to: number
}

function inValue({ grammar, type, pair, to }: Typing, equals: number): Completion {
  const key = namesOf(pair.slice(0, equals))
  const value = pair.slice(equals + 1)
  const written = value.slice(value.lastIndexOf(',') + 1)
  const path = key.written === '' ? key.path : [...key.path, key.written]
  const { values } = placeAt(
    grammar,
    type,
    path.filter((name) => name !== ''),
  )
  return {
    from: to - written.length,
    to,
    choices: fitting(values, decoded(written), ({ text }) => text.replace(/[%&#+\s]/g, encodeURIComponent)),
  }
}

function inName({ grammar, type, pair, to }: Typing): Completion {
  const { path, written, isOpen } = namesOf(pair)
  const { names, values } = placeAt(grammar, type, path)
  const isTop = path.length === 0
  const end = ({ opens }: Choice): string => (opens ? '[' : '=')
  const insert = (choice: Choice): string => {
    if (isTop) return choice.text + end(choice)
    return `${isOpen ? '' : '['}${choice.text}]${end(choice)}`
  }
  const all = [
    ...names,
    ...(isOpen && values.length > 0 && names.length === 0
      ? [{ text: '0', about: 'first item', opens: false }]
      : []),
  ]
  return { from: to - written.length, to, choices: fitting(all, written, insert) }
}

/** Completions at the caret, for an address that begins below the mount. */
export function completionAt(
  grammar: Grammar,
  types: readonly TypeData[],
  text: string,
  caret: number,
): Completion {
  const before = text.slice(0, caret)
  const question = before.indexOf('?')
  if (question < 0) {
    const start = before.lastIndexOf('/') + 1
    const written = before.slice(start)
    const paths = types.flatMap(({ path, kind }): Choice[] =>
      path === null
        ? []
        : [{ text: path, about: kind === 'singleType' ? 'one entry' : 'list', opens: false }],
    )
    const isMount =
      before
        .slice(0, start)
        .split('/')
        .filter((part) => part !== '').length > 1
    return { from: start, to: caret, choices: isMount ? [] : fitting(paths, written, (one) => one.text) }
  }
  const parts = before.slice(0, question).split('/')
  const type = parts.map((part) => typeAt(types, part)).find((one) => one !== undefined)
  if (type === undefined) return { from: caret, to: caret, choices: [] }
  const pair = before.slice(Math.max(before.lastIndexOf('&'), question) + 1)
  const typing: Typing = { grammar, type, pair, to: caret }
  const equals = pair.indexOf('=')
  return equals < 0 ? inName(typing) : inValue(typing, equals)
}
