import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { projectFolder } from '../support/project-folder'

const command = join(__dirname, '..', '..', 'dist', 'tools', 'command.js')

/** Runs the command with nobody at the other end of its output. */
async function withoutReader(
  cwd: string,
  words: readonly string[],
): Promise<readonly [number | null, string]> {
  const child = spawn(process.execPath, [command, ...words], { cwd, stdio: 'pipe', timeout: 60_000 })
  child.stdout.destroy()
  const complained = text(child.stderr)
  if (child.exitCode === null) await once(child, 'exit')
  return [child.exitCode, await complained]
}

onSqlite((database) => {
  describe('a command whose output nobody reads any more', () => {
    const world = database.fresh()
    const { path, write } = projectFolder()

    beforeAll(() => {
      const permissions = { public: { find: '*' } }
      const config = { contentTypes: library, database: world.config, permissions }
      write({ 'content-router.config.cjs': `module.exports = ${JSON.stringify(config)}` })
    })

    it.each([
      ['openapi'],
      ['types'],
      ['migrate', '--dry-run'],
      ['migrate'],
      ['check', '--role', 'public'],
      ['--help'],
      ['--version'],
      ['start'],
    ])('ends without a word: %s %s %s', async (...words) => {
      expect(await withoutReader(path, words)).toEqual([0, ''])
    })

    it('keeps its exit code', async () => {
      await world.knex.schema.dropTable('genres')
      const [code, complained] = await withoutReader(path, ['check', '--role', 'public'])
      expect([code, complained]).toEqual([1, expect.stringContaining('genres: the table is missing')])
    })
  })
})
