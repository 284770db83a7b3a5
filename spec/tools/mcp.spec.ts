import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { projectFolder } from '../support/project-folder'
import { stocked } from '../support/served'

const command = join(__dirname, '..', '..', 'dist', 'tools', 'command.js')

onSqlite((database) => {
  const { world } = stocked(database, library, {
    author: [{ name: 'Ada', age: 30 }],
    genre: [{ name: 'Essay' }],
  })
  const { path } = projectFolder({ 'package.json': '{}' })

  async function listed(...words: readonly string[]): Promise<unknown> {
    const permissions = { public: { find: ['genre'] } }
    const config = { contentTypes: library, database: world.config, permissions }
    const file = join(path, 'site.config.cjs')
    if (!existsSync(file)) writeFileSync(file, `module.exports = ${JSON.stringify(config)}`)
    const client = new Client({ name: 'spec', version: '1' })
    const args = [command, 'mcp', '--config', file, ...words]
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }))
    try {
      const { structuredContent } = await client.callTool({ name: 'list_types', arguments: {} })
      const { data } = structuredContent as { readonly data: readonly { readonly type: string }[] }
      return data.map(({ type }) => type)
    } finally {
      await client.close()
    }
  }

  describe('content-router mcp', () => {
    it('serves a role of the config over the standard input and output', async () => {
      expect(await listed('--role', 'public')).toEqual(['genres'])
    })

    it('serves everything without a role', async () => {
      expect(await listed()).toEqual(['authors', 'books', 'countries', 'genres', 'memos', 'reviews'])
    })
  })
})
