import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describeOn } from '../support/databases'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')

const topologies = [
  'PgBouncer, transaction',
  'PgBouncer, session',
  'Standby of PostgreSQL',
  'Standby of a standby of PostgreSQL',
  'Replica of MariaDB',
  'Galera of three behind HAProxy',
]

const needs = ['an installed server', 'an installed PostgreSQL', 'Galera', 'HAProxy', 'PgBouncer'] as const

describeOn(['mariadb'], needs)('a cluster', () => {
  it('serves no stale or torn response, whichever server is killed, frozen or cut off', async () => {
    const parameters = ['--require', './lab/bench/typescript.cjs', 'lab/cluster/run.ts', '--short']
    // It fails where a row has a fault, which the row says better; without rows it says itself what is wrong.
    const { stdout, stderr } = await run(process.execPath, parameters, { cwd: root }).catch(
      (error: unknown) => {
        const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
        if (stdout === '') throw error
        return { stdout, stderr }
      },
    )
    const rows = stdout
      .trim()
      .split('\n')
      .slice(2)
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
    expect(rows.map(([name]) => name).sort()).toEqual([...topologies].sort())
    for (const [name, asked, failed, , stale, torn, travelling] of rows) {
      expect(Number(asked)).toBeGreaterThan(100)
      const failures = failed === '0' ? '' : stderr
      expect([name, { failed, failures, stale, torn, travelling }]).toEqual([
        name,
        { failed: '0', failures: '', stale: '0', torn: '0', travelling: '0' },
      ])
    }
  }, 300_000)
})
