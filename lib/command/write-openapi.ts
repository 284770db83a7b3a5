import { documentOf } from '../http'
import type { OpenApiAsked } from './arguments'
import type { CheckedConfig } from './checked-config'
import type { ExitCode, Output } from './output'
import { toldByConfig } from './told-config'
import { writeText } from './write-text'

export function writeOpenapi(
  config: CheckedConfig,
  { url, openapi, ...writing }: OpenApiAsked,
  output: Output,
): ExitCode {
  const { schema, ...told } = toldByConfig(config, writing.role)
  const document = documentOf(told, schema, { url, openapi })
  return writeText(`${JSON.stringify(document, null, 2)}\n`, writing, output)
}
