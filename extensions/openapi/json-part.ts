/** A part of a document, as JSON has it. */
export type JsonPart = Readonly<Record<string, unknown>>

export const refTo = (kind: 'schemas' | 'parameters' | 'responses', name: string): JsonPart => ({
  $ref: `#/components/${kind}/${name}`,
})

/** All of these and nothing else may be missing: what is not required is left out of the list, and an empty list altogether. */
export function objectOf(
  properties: JsonPart,
  required: readonly string[] = Object.keys(properties),
): JsonPart {
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties }
}

export const listOf = (items: JsonPart): JsonPart => ({ type: 'array', items })
