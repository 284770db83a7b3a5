import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js'
import { failed, RequestError } from '../../lib/errors'
import { version } from '../../lib/http'
import { callTool, listTools } from './call-tool'
import type { Answer } from './fit-answer'
import type { ToolCaller } from './tools'

const scheme = 'content://'
const mimeType = 'application/json'
/** Shared, because each server would compile its own. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

const instructions =
  'Reads the content of a website or an application. Call list_types first, and describe_type before you filter or sort.'

async function readResource(caller: ToolCaller, uri: string, signal: AbortSignal): Promise<Answer> {
  const [type, documentId, ...more] = uri.slice(scheme.length).split('/')
  if (!uri.startsWith(scheme) || more.length > 0) throw new RequestError(404, 'Not Found')
  return documentId === undefined
    ? callTool(caller, 'describe_type', { type }, signal)
    : callTool(caller, 'find_one', { type, documentId }, signal)
}

function problemOf(raised: unknown): string {
  const { message, details } = raised instanceof RequestError ? raised : failed('')
  return typeof details['path'] === 'string' ? `${message} (at ${details['path']})` : message
}

/**
 * One server for each request, because nothing is kept between requests. `callerOf` reads the rights for each call, so that
 * changed permissions apply at once. It logs failures, as the reader of the caller does.
 */
export function serveTools(callerOf: () => Promise<ToolCaller>): McpServer {
  const mcp = new McpServer(
    { name: 'express-content-router', version },
    { capabilities: { tools: {}, resources: {} }, instructions, jsonSchemaValidator },
  )
  const answer = async <T>(use: (caller: ToolCaller) => T | Promise<T>): Promise<T> => {
    try {
      return await use(await callerOf())
    } catch (error) {
      throw new McpError(ErrorCode.InvalidRequest, problemOf(error))
    }
  }
  const { server } = mcp
  server.setRequestHandler(ListToolsRequestSchema, () => answer((caller) => ({ tools: listTools(caller) })))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    try {
      const result = await callTool(await callerOf(), params.name, params.arguments ?? {}, signal)
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } }
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: problemOf(error) }] }
    }
  })
  server.setRequestHandler(ListResourcesRequestSchema, () =>
    answer(({ types }) => {
      const served = types.filter(({ reads }) => reads.length > 0)
      return { resources: served.map(({ key }) => ({ uri: `${scheme}${key}`, name: key, mimeType })) }
    }),
  )
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: `${scheme}{type}/{documentId}`, name: 'entry', mimeType }],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, { signal }) =>
    answer(async (caller) => {
      const text = JSON.stringify(await readResource(caller, uri, signal))
      return { contents: [{ uri, mimeType, text }] }
    }),
  )
  return mcp
}
