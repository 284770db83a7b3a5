import type { Form } from '../compile'
import { type ValueReading, valueWriter } from './value-writer'

/** Makes of a value that is not null what its text would be parsed to. */
export type MakeValue = (value: unknown) => unknown

const parsed = (text: string): unknown => JSON.parse(text)

/** Of forms that are written as a text in quotes without anything to escape, or as null. */
const quoted = new Set<Form>(['plain', 'day', 'instant', 'storedInstant', 'clock', 'milliseconds', 'stamp'])

const unquoted = (text: string): unknown => (text.startsWith('"') ? text.slice(1, -1) : parsed(text))

/** There and back, such values are what they were. */
const lasting: Readonly<Partial<Record<Form, (value: unknown) => boolean>>> = {
  text: (value) => typeof value === 'string',
  number: Number.isSafeInteger,
  storedNumber: Number.isSafeInteger,
}

/** What a value means is known to its writer alone: this reads what that wrote, or passes by what it would not change. */
export function valueMaker(form: Form, reading: ValueReading): MakeValue {
  const write = valueWriter(form, reading)
  if (quoted.has(form)) return (value) => unquoted(write(value))
  const lasts = lasting[form]
  if (lasts === undefined) return (value) => parsed(write(value))
  return (value) => (lasts(value) && !Object.is(value, -0) ? value : parsed(write(value)))
}
