import type { Fault } from '../errors'
import { readCountedTables } from './counted-tables'
import type { CountedWritesSettings } from './counted-writes'
import type { AskRows } from './ask-rows'
import { countsQuestion, readCounts } from './write-counts'

const where = 'cache.feed'
const leaveOut = 'leave it out'

const about = `show global variables where variable_name in ('version', 'performance_schema', 'wsrep_on')`

async function faultOfServer(ask: AskRows): Promise<Fault | null> {
  const told = new Map((await ask(about)).map(([name, value]) => [String(name), String(value)]))
  if (told.get('version')?.includes('MariaDB') === true)
    return { where, problem: 'MariaDB tells of no change in a way that is exact', remedy: leaveOut }
  if (told.get('wsrep_on') === 'ON')
    return { where, problem: 'a node of Galera does not tell what others write', remedy: leaveOut }
  if (told.get('performance_schema') === 'ON') return null
  return {
    where,
    problem: 'the performance schema is off',
    remedy: 'set performance_schema = ON and restart',
  }
}

/** What counting lacks on MySQL. */
export async function missingForCounts(
  ask: AskRows,
  { isRead, server }: Pick<CountedWritesSettings, 'isRead' | 'server'>,
): Promise<readonly Fault[]> {
  const fault = await faultOfServer(ask)
  if (fault !== null) return [fault]
  const rows = await ask(countsQuestion([], [], server)).catch(() => null)
  if (rows === null) {
    const problem = 'the role may not read the performance schema'
    return [{ where, problem, remedy: 'grant select on performance_schema.* to …' }]
  }
  const counts = readCounts(rows)
  if (counts === null) return [{ where, problem: 'the server does not count definitions', remedy: leaveOut }]
  const { uncounted } = await readCountedTables(ask, isRead)
  return [
    ...counts.uncounted.map((name) => ({
      where,
      problem: `not all is counted: ${name}`,
      remedy: name.startsWith('performance_schema_')
        ? `raise what bounds it, and restart the server`
        : 'turn it on in the configuration of the server, and restart it',
    })),
    ...uncounted.map((table) => ({
      where,
      problem: `${table} follows, by its foreign keys, tables that the role does not see or of another database`,
      remedy: leaveOut,
    })),
  ]
}
