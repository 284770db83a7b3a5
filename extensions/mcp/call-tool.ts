import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js'
import Ajv, { type ErrorObject } from 'ajv'
import { RequestError } from '../../lib/errors'
import { type Answer, fitAnswer } from './fit-answer'
import { type Arguments, type Tool, type ToolCaller, tools } from './tools'

function schemaOf({ typesFor, properties, required = [] }: Tool, type: object): ListedTool['inputSchema'] {
  const own: Record<string, object> = typesFor === null ? {} : { type }
  return {
    type: 'object',
    properties: { ...own, ...properties },
    required: [...Object.keys(own), ...required],
    additionalProperties: false,
  }
}

const ajv = new Ajv({ allowUnionTypes: true })
const validators = new Map(
  Object.entries(tools).map(([name, tool]) => [name, ajv.compile(schemaOf(tool, { type: 'string' }))]),
)

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

/** The tools that read at least one type for the role. Drafts are named only to roles that may read drafts. */
export const listTools = (caller: ToolCaller): ListedTool[] =>
  Object.entries(tools).flatMap(([name, tool]) => {
    const types = tool.typesFor?.(caller) ?? []
    if (tool.typesFor !== null && types.length === 0) return []
    const { status, ...properties } = tool.properties
    const isOfDrafts = status !== undefined && types.some(({ hasDrafts }) => hasDrafts)
    const listed = isOfDrafts ? tool : { ...tool, properties }
    const inputSchema = schemaOf(listed, { enum: types.map(({ key }) => key) })
    return [{ name, description: tool.description, inputSchema, annotations }]
  })

function faultOf({ instancePath, message = '', params }: ErrorObject): string {
  const { additionalProperty } = params as Readonly<Record<string, unknown>>
  if (typeof additionalProperty === 'string') return `the tool has no argument ${additionalProperty}`
  return `${instancePath === '' ? 'the tool' : `the argument ${instancePath.slice(1)}`} ${message}`
}

/** Names the tools, types and arguments that are possible. */
function checkCall(caller: ToolCaller, name: string, given: Arguments): Tool {
  const [tool, validate] = [tools[name], validators.get(name)]
  const types = tool?.typesFor?.(caller).map(({ key }) => key)
  if (tool === undefined || validate === undefined || types?.length === 0) {
    const names = listTools(caller).map((listed) => listed.name)
    throw new RequestError(400, `The tool does not exist. These tools exist: ${names.join(', ')}`)
  }
  if (types?.some((one) => one === given['type']) === false)
    throw new RequestError(400, `The argument type must be one of: ${types.join(', ')}`)
  if (!validate(given))
    throw new RequestError(400, `Invalid arguments: ${(validate.errors ?? []).map(faultOf).join('; ')}`)
  return tool
}

export async function callTool(
  caller: ToolCaller,
  name: string,
  given: Arguments,
  signal: AbortSignal,
): Promise<Answer> {
  const answer = await checkCall(caller, name, given).call(caller, given, signal)
  const fitting = fitAnswer(answer, caller.maxCharacters)
  if (fitting !== null) return fitting
  const remedy = 'request fewer attributes with fields, and fewer relations with populate'
  throw new RequestError(400, `The entry is too long: ${remedy}`)
}
