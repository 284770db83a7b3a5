import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { projectFolder } from '../support/project-folder'
import { stocked } from '../support/served'

const dist = join(__dirname, '..', '..', 'dist')
const command = join(dist, 'tools', 'command.js')
const aggregates = `require(${JSON.stringify(join(dist, 'extensions', 'aggregate'))}).aggregates()`

onSqlite((database) => {
  const { world } = stocked(database, library, {
    author: [{ name: 'Ada', age: 30 }],
    genre: [{ name: 'Essay' }],
  })
  const { path } = projectFolder({ 'package.json': '{}' })

  interface ListedType {
    readonly type: string
    readonly tools: readonly string[]
  }

  async function listed(...words: readonly string[]): Promise<readonly ListedType[]> {
    const permissions = { public: { find: ['genre'] } }
    const config = { contentTypes: library, database: world.config, permissions }
    const file = join(path, 'site.config.cjs')
    if (!existsSync(file))
      writeFileSync(file, `module.exports = { ...${JSON.stringify(config)}, extensions: [${aggregates}] }`)
    const client = new Client({ name: 'spec', version: '1' })
    const args = [command, 'mcp', '--config', file, ...words]
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }))
    try {
      const { structuredContent } = await client.callTool({ name: 'list_types', arguments: {} })
      return (structuredContent as { readonly data: readonly ListedType[] }).data
    } finally {
      await client.close()
    }
  }

  describe('content-router mcp', () => {
    it('serves a role of the config over the standard input and output', async () => {
      const types = await listed('--role', 'public')
      expect(types.map(({ type }) => type)).toEqual(['genres'])
      expect(types[0]?.tools).not.toContain('aggregate')
    })

    it('serves everything without a role', async () => {
      const types = await listed()
      expect(types.map(({ type }) => type)).toEqual([
        ...['authors', 'books', 'countries', 'genres', 'memos', 'reviews'],
      ])
      expect(types[0]?.tools).toContain('aggregate')
    })
  })
})
