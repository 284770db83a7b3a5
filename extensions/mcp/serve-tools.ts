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
import { RequestError } from '../../lib/errors'
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

export interface ToolService {
  /** Reads the rights for each call, so that changed permissions apply at once. */
  readonly callerOf: () => Promise<ToolCaller>
  /** Returns the error to send, and logs failures of the server. */
  readonly answerOf: (raised: unknown) => RequestError
}

/** One server for each request, because nothing is kept between requests. */
export function serveTools({ callerOf, answerOf }: ToolService): McpServer {
  const mcp = new McpServer(
    { name: 'express-content-router', version },
    { capabilities: { tools: {}, resources: {} }, instructions, jsonSchemaValidator },
  )
  const problemOf = (raised: unknown): string => {
    const { message, details } = answerOf(raised)
    return typeof details['path'] === 'string' ? `${message} (at ${details['path']})` : message
  }
  const fail = (raised: unknown): never => {
    throw new McpError(ErrorCode.InvalidRequest, problemOf(raised))
  }
  const { server } = mcp
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: listTools(await callerOf().catch(fail)),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const { name, arguments: given = {} } = params
    try {
      const answer = await callTool(await callerOf(), name, given, signal)
      return {
        content: [{ type: 'text', text: JSON.stringify(answer) }],
        structuredContent: { ...answer },
      }
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: problemOf(error) }] }
    }
  })
  server.setRequestHandler(ListResourcesRequestSchema, async () => {
    const { types } = await callerOf().catch(fail)
    const served = types.filter(({ reads }) => reads.length > 0)
    return {
      resources: served.map(({ key }) => ({ uri: `${scheme}${key}`, name: key, mimeType })),
    }
  })
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: `${scheme}{type}/{documentId}`, name: 'entry', mimeType }],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, { signal }) => {
    const answer = await callerOf()
      .then((caller) => readResource(caller, uri, signal))
      .catch(fail)
    return { contents: [{ uri, mimeType, text: JSON.stringify(answer) }] }
  })
  return mcp
}
