// Input: a content router. Output: a read-only server of the Model Context Protocol, over HTTP or a transport of the host.
// Rejected: options of another kind, and requests without a role.
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type ErrorRequestHandler, json, type Request, type Response, Router } from 'express'
import type { Role } from '../../lib/config'
import { ConfigError, failed, methodNotAllowed, unauthorized } from '../../lib/errors'
import { exploredRouter, handleErrors, raiseHostError, typesShownTo } from '../../lib/http'
import type { PlainReader } from '../../lib/reader'
import { faultsOfValues, type ValueCheck } from '../../lib/schema'
import { withTools } from './describe-type'
import { serveTools } from './serve-tools'
import type { ToolCaller } from './tools'

type GivenRole = Exclude<Role, null>
type McpContent = Readonly<Record<'as', (who: GivenRole) => PlainReader>>

/** Options of `contentMcp`. */
export interface McpOptions {
  /** Sets the role of all requests, or a function that returns the role of a request. If the function returns null, the server sends a 401. */
  readonly role: GivenRole | ((req: Request) => Role | Promise<Role>)
  /**
   * Limits the length of a result, in characters. The server cuts longer results, and says how to read on.
   * @default 40000
   */
  readonly maxCharacters?: number
}

const checks: Readonly<Record<keyof McpOptions, ValueCheck>> = {
  role: {
    fits: (value) => value !== null,
    problem: 'the option role must be a role, a list of roles, or a function (req) => role',
  },
  maxCharacters: {
    fits: (value) => Number.isInteger(value) && Number(value) >= 1000,
    problem: 'the option maxCharacters must be an integer of at least 1000',
  },
}

type ServeRole = (role: GivenRole) => McpServer

function serverFor(where: string, content: McpContent, options: Partial<McpOptions>): ServeRole {
  const inside = exploredRouter(where, content)
  const { maxCharacters = 40_000, role = null } = options
  const faults = faultsOfValues(where, { ...options, role }, checks)
  if (faults.length > 0) throw new ConfigError(faults)
  const readCaller = async (given: GivenRole): Promise<ToolCaller> => {
    const reader = content.as(given)
    const { settings, rights } = await inside.rightsGiven(given)
    return { types: typesShownTo(settings, rights).map(withTools), options: settings, reader, maxCharacters }
  }
  const raiseAnswer = (error: unknown): never => {
    throw inside.settings.answerError(error).answer ?? failed('')
  }
  return (given) => serveTools(() => readCaller(given).catch(raiseHostError).catch(raiseAnswer))
}

/** The error handler of the host would send HTML. */
const rejectBody: ErrorRequestHandler = (raised: { readonly status?: number }, _req, res, next) => {
  const { status = 500 } = raised
  const error = { code: -32700, message: 'The body must be JSON in UTF-8 of at most 100 KB' }
  if (status < 500) res.status(status).json({ jsonrpc: '2.0', error, id: null })
  else next(raised)
}

/** Serves the content to assistants: `app.use('/mcp', contentMcp(content, { role: 'public' }))`. No tool writes. */
export function contentMcp(content: McpContent, options: McpOptions): Router {
  const serve = serverFor('contentMcp', content, options)
  const roleOf = async (req: Request): Promise<Role> =>
    typeof options.role === 'function' ? options.role(req) : options.role
  const respond = async (req: Request, res: Response): Promise<void> => {
    const given = await roleOf(req).catch(raiseHostError)
    if (given === null) throw unauthorized()
    const mcp = serve(given)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    res.on('close', () => {
      void mcp.close()
    })
    await mcp.connect(transport)
    await transport.handleRequest(req, res, req.body)
  }
  const router = Router()
  router.post('/', json({ limit: '100kb' }), rejectBody)
  router.post('/', (req, res, next) => {
    respond(req, res).catch(next)
  })
  // There are no sessions, so that a GET has nothing to wait for.
  router.all('/', (_req, res) => {
    res.setHeader('Allow', 'POST')
    throw methodNotAllowed()
  })
  return router.use(handleErrors(exploredRouter('contentMcp', content).settings.answerError))
}

/** Serves the content over a transport of the SDK, such as the standard input and output. */
export const connectMcp = (
  content: McpContent,
  transport: Transport,
  options: McpOptions & { readonly role: GivenRole },
): Promise<void> => serverFor('connectMcp', content, options)(options.role).connect(transport)
