import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js'
import Ajv, { type ErrorObject } from 'ajv'
import { RequestError } from '../../lib/errors'
import { type Answer, fitAnswer } from './fit-answer'
import { type Arguments, type ToolCaller, tools, typesFor } from './tools'

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
const closed = { type: 'object' as const, additionalProperties: false }

const ajv = new Ajv({ verbose: true })
const validators = new Map(
  Object.entries(tools).map(([name, { properties, required = ['type'] }]) => {
    return [name, ajv.compile<Arguments>({ ...closed, properties: properties({ type: 'string' }), required })]
  }),
)

/** The tools that read at least one type for the role. Drafts are named only to roles that may read drafts. */
export const listTools = (caller: ToolCaller): ListedTool[] =>
  Object.entries(tools).flatMap(([name, { description, properties, required = ['type'] }]) => {
    const types = typesFor(name, caller)
    if (types.length === 0 && name !== 'list_types') return []
    const { status, ...others } = properties({ type: 'string', enum: types.map(({ key }) => key) })
    const isOfDrafts = status !== undefined && types.some(({ hasDrafts }) => hasDrafts)
    const inputSchema = { ...closed, properties: isOfDrafts ? { ...others, status } : others, required }
    return [{ name, description, inputSchema, annotations }]
  })

function faultOf({ instancePath, keyword, message = '', params, parentSchema }: ErrorObject): string {
  if (keyword === 'additionalProperties')
    return `the tool has no argument ${String(params['additionalProperty'])}`
  const form: unknown = keyword === 'type' ? parentSchema?.['description'] : undefined
  const subject = instancePath === '' ? 'the tool' : `the argument ${instancePath.slice(1)}`
  return `${subject} ${message}${typeof form === 'string' ? ` (${form})` : ''}`
}

/** Errors name the tools, types and arguments that are possible. */
export async function callTool(
  caller: ToolCaller,
  name: string,
  given: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Answer> {
  const [tool, validate] = [tools[name], validators.get(name)]
  const names = listTools(caller).map((listed) => listed.name)
  if (tool === undefined || validate === undefined || !names.includes(name))
    throw new RequestError(400, `The tool does not exist. These tools exist: ${names.join(', ')}`)
  const types = typesFor(name, caller).map(({ key }) => key)
  const asked: readonly unknown[] = [given['type'] ?? [], given['types'] ?? []].flat(2)
  if (types.length > 0 && !asked.every((one) => types.some((type) => type === one)))
    throw new RequestError(400, `The type must be one of: ${types.join(', ')}`)
  if (!validate(given))
    throw new RequestError(400, `Invalid arguments: ${(validate.errors ?? []).map(faultOf).join('; ')}`)
  return fitAnswer(await tool.call(caller, given, signal), caller.maxCharacters)
}
