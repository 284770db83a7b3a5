import BetterSqlite from 'better-sqlite3'
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '../support/databases'
import { projectFolder } from '../support/project-folder'
import { started } from '../support/started'
import { addTypes, standOf, strapiFiles } from '../support/strapi-folder'

const copies = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('content-router-copy-'))

describe('a SQLite file that keeps a log', () => {
  const world = testDatabase('sqlite').restored()
  const { path } = projectFolder({ ...strapiFiles, '.env': 'DATABASE_FILENAME=.tmp/data.db' })
  const file = join(path, '.tmp', 'data.db')
  const tagged = async (at: string): Promise<readonly unknown[]> => {
    const answer = await fetch(`${at}/api/tags?filters[name][$eq]=Late`)
    return ((await answer.json()) as { data: readonly unknown[] }).data
  }

  beforeAll(() => {
    addTypes(path)
    mkdirSync(join(path, '.tmp'))
    copyFileSync((world.config.connection as { readonly filename: string }).filename, file)
    const opened = new BetterSqlite(file)
    opened.pragma('journal_mode = wal')
    opened.close()
  })

  it('has nothing beside it afterwards, and no copy is left', async () => {
    const before = [standOf(path), copies()]
    const site = await started([], { cwd: path })
    expect(site.said()).toContain('read from a copy, as nobody has it open and it keeps a log')
    expect((await fetch(`${site.at}/api/articles`)).status).toBe(200)
    await site.stop()
    expect([standOf(path), copies()]).toEqual(before)
  })

  it('is read where it lies while another has it open, whose commits are seen', async () => {
    const other = new BetterSqlite(file)
    other.prepare('select count(*) from tags').get()
    const names = readdirSync(join(path, '.tmp')).sort()
    const site = await started([], { cwd: path })
    try {
      expect(names).toEqual(['data.db', 'data.db-shm', 'data.db-wal'])
      expect(site.said()).not.toContain('a copy')
      expect(await tagged(site.at)).toEqual([])
      const row = other.prepare('select id from tags where published_at is not null limit 1').get() as {
        id: number
      }
      other.prepare("update tags set name = 'Late' where id = ?").run(row.id)
      expect(await tagged(site.at)).toHaveLength(1)
    } finally {
      await site.stop()
      expect(readdirSync(join(path, '.tmp')).sort()).toEqual(names)
      other.close()
    }
  })
})
