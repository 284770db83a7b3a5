import { type ApiDocument, describe, documentOf } from '../../extensions/openapi'
import { contentRouter, servesIndex } from '../../lib/http'
import { inStep } from '../start'
import type { OpenApiTarget } from './arguments'
import { type CheckedConfig, readableTypes, unstarted } from './config-file'
import { type ExitCode, type Output, refuseMissingFile, writeText } from './output'

/** Runs the requests of the config's router in the process. */
async function withExamples(
  config: CheckedConfig,
  role: string,
  { url }: OpenApiTarget,
): Promise<ApiDocument> {
  refuseMissingFile(config.database)
  const api = contentRouter({ role: () => null, ...unstarted(config) })
  try {
    return await describe(api, { role, url, examples: true })
  } finally {
    await api.close()
  }
}

function withoutExamples(config: CheckedConfig, { role, url }: OpenApiTarget): ApiDocument {
  const { schema, ...readable } = readableTypes(config, role)
  return documentOf(readable, schema, { url, hasIndex: servesIndex(config.extensions) })
}

/** One line for each parameter and property: diffs stay readable, and without indentation the document is half as long. */
const deepest = 5

function printed(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null || depth === deepest) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const parts = Object.entries(value).flatMap(([key, part]: [string, unknown]) => {
    if (part === undefined) return []
    return `${isList ? '' : `${JSON.stringify(key)}: `}${printed(part, depth + 1)}`
  })
  const body = parts.length === 0 ? '' : `\n${parts.join(',\n')}\n`
  return isList ? `[${body}]` : `{${body}}`
}

export async function writeOpenapi(
  config: CheckedConfig,
  writing: OpenApiTarget,
  output: Output,
): Promise<ExitCode> {
  const { examplesOf } = writing
  const document =
    examplesOf === null
      ? withoutExamples(config, writing)
      : await inStep(output, 'Reading examples', () => withExamples(config, examplesOf, writing))
  return writeText(`${printed(document)}\n`, writing, output)
}
