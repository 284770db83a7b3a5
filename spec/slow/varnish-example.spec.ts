import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { ChangeHook } from '../../extensions/changes'
import { describeOn, testDatabase } from '../support/databases'
import { onFollowedLibrary } from '../support/feed'
import { findProgram } from '../support/servers/private-server'
import { startVarnish } from '../support/servers/varnish'
import { until } from '../support/told-changes'

const example = join(__dirname, '..', '..', 'examples', 'varnish')

const purging = `import { purge } from ${JSON.stringify(pathToFileURL(join(example, 'purge.mjs')).href)}
const hook = purge(process.argv[1], 100)
process.on('message', async (change) => {
  process.send(await hook(change).then(() => 'purged', String))
})
process.on('disconnect', () => process.exit())`

interface RunningPurge {
  readonly purge: ChangeHook
  readonly stop: () => void
}

/** The example's hook, in a process of its own: it is a module as apps write them. */
function startPurge(varnish: string): RunningPurge {
  const child = spawn(process.execPath, ['--input-type=module', '-e', purging, varnish], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return {
    purge: async (change) => {
      child.send(change)
      const [said] = (await once(child, 'message')) as [string]
      if (said !== 'purged') throw new Error(said)
    },
    stop: () => {
      child.disconnect()
    },
  }
}

describeOn(['postgres'], ['Varnish'])('Varnish before a router on %s', (name) => {
  const followed = onFollowedLibrary(testDatabase(name))
  const { world } = followed

  const commit = async (statement: string): Promise<void> => {
    const { connection } = world.config as { readonly connection: Readonly<Record<string, unknown>> }
    const { host, port, user, password, database } = connection
    const psql = findProgram('psql') ?? 'psql'
    const at = ['-h', String(host), '-p', String(port), '-U', String(user), '-d', String(database)]
    const environment = { ...process.env, PGPASSWORD: String(password) }
    await promisify(execFile)(psql, [...at, '-c', statement], { env: environment })
  }

  it('keeps responses until a commit by psql changes them', async () => {
    let told = 0
    let purge: ChangeHook = () => undefined
    const onChange: ChangeHook = async (change) => {
      await purge(change)
      told += 1
    }
    const headers = { '*': { cacheControl: 's-maxage=86400, max-age=0' } }
    const served = await followed.serve({ headers }, { cacheTags: true, onChange })
    const vcl = readFileSync(join(example, 'default.vcl'), 'utf8')
    const varnish = await startVarnish(vcl.replace('"1337"', `"${new URL(served.origin).port}"`))
    if (varnish === undefined) throw new Error('varnishd is not installed')
    const running = startPurge(varnish.url)
    try {
      purge = running.purge
      const ask = async (path: string): Promise<{ readonly isKept: boolean; readonly text: string }> => {
        const response = await fetch(`${varnish.url}api/${path}`)
        expect([response.status, response.headers.get('cache-tag')]).toEqual([200, null])
        // Two numbers: of the request, and of the one that it was read for.
        const isKept = response.headers.get('x-varnish')?.includes(' ') === true
        return { isKept, text: await response.text() }
      }
      const paths = ['authors', 'authors/ada', 'authors/bob', 'books?populate=author', 'books', 'genres']
      await world.knex('authors').where({ name: 'Ada' }).update({ document_id: 'ada' })
      await world.knex('authors').insert({ name: 'Bob', document_id: 'bob' })
      await pause(2500)
      for (let round = 0; round < 5; round += 1) {
        for (const path of paths) await ask(path)
        // The first round ends what was told before it.
        if (round > 0)
          for (const path of paths) expect([path, (await ask(path)).isKept]).toEqual([path, true])
        const before = told
        const name = `Ada ${String(round)}`
        await commit(`update authors set name = '${name}' where document_id = 'ada'`)
        await until(() => (told > before ? true : undefined), 'nothing was purged')
        // What was purged once is so once more.
        await pause(1000)
        const kept: string[] = []
        for (const path of paths) {
          const { isKept, text } = await ask(path)
          if (isKept) kept.push(path)
          if (path === 'authors/ada' || path === 'authors') expect(text).toContain(name)
        }
        if (round > 0) expect(kept).toEqual(['authors/bob', 'books', 'genres'])
      }
      expect((await fetch(varnish.url, { method: 'BAN', headers: { 'X-Tags': 'a b' } })).status).toBe(400)
    } finally {
      running.stop()
      await varnish.stop()
    }
  }, 60_000)
})
