import type { ApiDocument } from '../describe'
import { contentRouter, documentOf } from '../http'
import type { OpenApiAsked } from './arguments'
import type { CheckedConfig } from './checked-config'
import type { ExitCode, Output } from './output'
import { refuseMissingFile } from './refuse-missing-file'
import { toldByConfig } from './told-config'
import { writeText } from './write-text'

/** Whoever asks once has no use for what happens afterwards. */
function unfollowed({ cache, ...config }: CheckedConfig): CheckedConfig {
  const kept = typeof cache === 'object' ? { cache: { ...cache, feed: false } } : {}
  return { ...config, ...kept, changes: false, onChange: undefined }
}

/** A config may say in code elsewhere who asks by HTTP, which nobody does here. */
const nobody = (): null => null

/** Asks the content what the router of the config would answer. */
async function withExamples(
  config: CheckedConfig,
  role: string,
  { url }: OpenApiAsked,
): Promise<ApiDocument> {
  refuseMissingFile(config.database)
  const api = contentRouter({ role: nobody, ...unfollowed(config) })
  try {
    return await api.openapi({ role, url, examples: true })
  } finally {
    await api.close()
  }
}

function withoutExamples(config: CheckedConfig, { role, url }: OpenApiAsked): ApiDocument {
  const { schema, ...told } = toldByConfig(config, role)
  return documentOf(told, schema, { url })
}

export async function writeOpenapi(
  config: CheckedConfig,
  writing: OpenApiAsked,
  output: Output,
): Promise<ExitCode> {
  const { examplesOf } = writing
  const document =
    examplesOf === null ? withoutExamples(config, writing) : await withExamples(config, examplesOf, writing)
  return writeText(`${JSON.stringify(document, null, 2)}\n`, writing, output)
}
