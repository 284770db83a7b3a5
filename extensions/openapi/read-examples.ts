import type { ShownType } from '../../lib/describe'
import { RequestError } from '../../lib/errors'
import type { Uid } from '../../lib/schema'
import type { PlainEntry, PlainReader } from '../../lib/typed'
import { shortEntry } from './short-entry'
import { type ExampleEntry, type ExamplesByUid, noExamples, type TypeExamples } from './type-examples'

type RoleReader = PlainReader<object>

/** Enough of a list to see that it is one. */
const smallPage = { pagination: { pageSize: 2 } }

/** Null where whoever asks is answered that there is nothing, or nothing unless more is said. What failed is raised. */
async function answerOf<Answer>(reading: Promise<Answer>): Promise<Answer | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) return null
    throw error
  }
}

async function exampleOf(
  reading: ReturnType<RoleReader['single']>,
  value: ExampleEntry['value'],
): Promise<ExampleEntry | null> {
  const answer = await answerOf(reading)
  return answer === null ? null : { value, answer: { ...answer, data: shortEntry(answer.data) } }
}

/** Of the entries that are listed, what the first has that has any. */
function firstValue(entries: readonly PlainEntry[], name: string): string | number | null {
  for (const { [name]: value } of entries)
    if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return value
  return null
}

async function examplesBy(
  { key, scalars }: ShownType,
  entries: readonly PlainEntry[],
  reader: RoleReader,
): Promise<TypeExamples['by']> {
  const examples = new Map<string, ExampleEntry>()
  for (const [name, { column }] of scalars) {
    const value = column.identifies ? firstValue(entries, name) : null
    const example = value === null ? null : await exampleOf(reader.by(key, name, value), value)
    if (example !== null) examples.set(name, example)
  }
  return examples
}

/** What is not listed to a role is not looked for in any other way. */
async function examplesOf(type: ShownType, reader: RoleReader): Promise<TypeExamples> {
  const { key, model, reads } = type
  if (model.kind === 'singleType') return { ...noExamples, one: await exampleOf(reader.single(key), null) }
  const list = reads.includes('find') ? await answerOf(reader.find(key, smallPage)) : null
  if (list === null) return noExamples
  const listed = { list: { ...list, data: list.data.map(shortEntry) } }
  if (!reads.includes('findOne')) return { ...noExamples, ...listed }
  const id = firstValue(list.data, 'documentId')
  return {
    ...listed,
    one: id === null ? null : await exampleOf(reader.findOne(key, String(id)), id),
    by: await examplesBy(type, list.data, reader),
  }
}

/** One after the other: who asks for all of them takes no more of the queue than a request does. */
export async function readExamples(types: readonly ShownType[], reader: RoleReader): Promise<ExamplesByUid> {
  const examples = new Map<Uid, TypeExamples>()
  for (const type of types.filter(({ reads }) => reads.length > 0))
    examples.set(type.model.uid, await examplesOf(type, reader))
  return examples
}
