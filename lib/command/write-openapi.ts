import { apiDocument } from '../describe'
import { takesTokens, version } from '../http'
import type { OpenApiAsked } from './arguments'
import type { CheckedConfig } from './checked-config'
import type { ExitCode, Output } from './output'
import { toldByConfig } from './told-config'
import { writeText } from './write-text'

export function writeOpenapi(
  config: CheckedConfig,
  { url, ...writing }: OpenApiAsked,
  output: Output,
): ExitCode {
  const { types, schema, options } = toldByConfig(config, writing.role)
  const about = { url, options, version, takesTokens: takesTokens(options.role) }
  return writeText(`${JSON.stringify(apiDocument(types, schema, about), null, 2)}\n`, writing, output)
}
