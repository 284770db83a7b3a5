import { once } from 'node:events'
import type * as Stdio from '@modelcontextprotocol/sdk/server/stdio.js'
import type * as Mcp from '../../extensions/mcp'
import type { PermissionTable } from '../../lib/config'
import { ConfigError } from '../../lib/errors'
import { contentRouter } from '../../lib/http'
import { type CheckedConfig, grantsIn, roleIn } from './config-file'
import { type ExitCode, refuseMissingFile } from './output'

/** A role of the config, or one that may read everything that is not private. */
function servedRole(
  config: CheckedConfig,
  role: string | null,
): Partial<CheckedConfig> & { readonly name: string } {
  const table = grantsIn(config)
  if (role !== null) return { name: table === null ? role : roleIn(table, role) }
  const isAggregated = config.extensions?.some(({ listReading }) => listReading?.name === 'aggregate')
  const aggregate = isAggregated === true ? { aggregate: '*' as const } : {}
  const everything: PermissionTable = { assistant: { find: '*', findOne: '*', drafts: '*', ...aggregate } }
  return { name: 'assistant', permissions: everything, limitsByRole: {} }
}

/** The SDK is an optional peer dependency, which no other command loads. */
function loadServer(): readonly [typeof Mcp, typeof Stdio] {
  try {
    return [
      require('../../extensions/mcp') as typeof Mcp,
      require('@modelcontextprotocol/sdk/server/stdio.js') as typeof Stdio,
    ]
  } catch (error) {
    if (Reflect.get(Object(error) as object, 'code') !== 'MODULE_NOT_FOUND') throw error
    const problem = 'the package @modelcontextprotocol/sdk is not installed'
    throw new ConfigError([{ where: 'mcp', problem, remedy: 'run npm install @modelcontextprotocol/sdk' }])
  }
}

/** Serves until the client closes the standard input. The standard output belongs to the protocol. */
export async function runMcp(config: CheckedConfig, role: string | null): Promise<ExitCode> {
  refuseMissingFile(config.database)
  const [{ connectMcp }, { StdioServerTransport }] = loadServer()
  const { name, ...rights } = servedRole(config, role)
  const content = contentRouter({ ...config, role: () => null, ...rights })
  try {
    await content.ready()
    const ended = once(process.stdin, 'end')
    await connectMcp(content, new StdioServerTransport(), { role: name })
    await ended
    return 0
  } finally {
    await content.close()
  }
}
