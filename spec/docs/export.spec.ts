import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import express from 'express'
import { listExports } from '../../extensions/export'
import { contentRouter, type ContentRouterConfig } from '../../lib'
import type { Extension } from '../../lib/http'
import { readCsv } from '../extensions/export/read-csv'
import { testDatabase } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { projectFolder } from '../support/project-folder'
import { stocked } from '../support/served'

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'how-to', 'export.md'), 'utf8')
const blocks = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp('```' + language + '\\n(.*?)```', 'gs'))].map(([, code = '']) => code)

const types = [
  collection('article', {
    title: text,
    author: relation('manyToOne', 'author'),
    tags: relation('manyToMany', 'tag'),
  }),
  collection('author', { name: text }),
  collection('tag', { name: text }),
  collection('order', { note: text }),
] as unknown as ContentRouterConfig['contentTypes']

const titles = ['Dawn', ...Array.from({ length: 1500 }, (_, at) => `Article ${String(at)}`)]

/** Fails once the first batches of an export are sent. */
function failing(): Extension {
  let batches = 0
  return {
    name: 'failing',
    afterRead: () => () => {
      batches += 1
      return batches > 2 ? Promise.reject(new Error('spec')) : Promise.resolve()
    },
  }
}

const entriesIn = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length

describe('docs/how-to/export.md', () => {
  const { world } = stocked(testDatabase('sqlite'), types, {
    author: [{ $ref: 'ada', name: 'Ada' }],
    tag: [{ $ref: 'city', name: 'city' }],
    article: titles.map((title) => ({
      title,
      ...(title === 'Dawn' ? { author: 'ada', tags: ['city'] } : {}),
    })),
  })
  const { path: folder } = projectFolder({ 'package.json': '{}' })
  const [config = '', fetching = '', limited = ''] = blocks('js')
  const [download = '', kept = ''] = blocks('sh')
  const token = 'secret'

  const open: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of open.splice(0)) await close()
  })

  /** The options of the first block of the page. */
  function optionsOnPage(): Pick<ContentRouterConfig, 'permissions' | 'extensions'> {
    const taken: ContentRouterConfig[] = []
    const names = {
      config: {},
      listExports,
      contentRouter: (options: ContentRouterConfig) => taken.push(options),
    }
    runInNewContext(config.replaceAll(/^import .*$/gm, ''), names)
    const [{ permissions = {}, extensions = [] } = {}] = taken as readonly Partial<ContentRouterConfig>[]
    return { permissions, extensions }
  }

  async function served(...more: readonly Extension[]): Promise<string> {
    const { permissions = {}, extensions = [] } = optionsOnPage()
    const content = contentRouter({
      ...{ contentTypes: types, database: world.config, logger: false, permissions },
      extensions: [...extensions, ...more],
      role: (req) => (req.get('authorization') === `Bearer ${token}` ? 'analyst' : 'public'),
    })
    const server = createServer({ keepAliveTimeout: 0 }, express().use('/api', content))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    open.push(async () => {
      server.close()
      await content.close()
    })
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  }

  /** Runs a command of the page; its exit code. */
  const run = (command: string, origin: string): Promise<number> => {
    const words = command.replaceAll('https://example.com', origin)
    const options = { cwd: folder, env: { ...process.env, TOKEN: token } }
    return promisify(execFile)('sh', ['-c', words], options).then(
      () => 0,
      (error: unknown) => Number(Reflect.get(Object(error) as object, 'code')),
    )
  }

  const runFetch = (origin: string): Promise<unknown> => {
    const code = fetching
      .replaceAll('https://example.com', origin)
      .replaceAll("'articles.", `'${folder}/fetched.`)
    const names = { fetch, pipeline, createWriteStream, rename, token, Error }
    return runInNewContext(`(async () => { ${code} })()`, names) as Promise<unknown>
  }

  it('refuses a role without the grant', async () => {
    const origin = await served()
    expect((await fetch(`${origin}/api/articles/export`)).status).toBe(403)
  })

  it('downloads the CSV', async () => {
    expect(await run(download, await served())).toBe(0)
    expect(readCsv(readFileSync(join(folder, 'articles.csv'), 'utf8'))).toHaveLength(titles.length + 1)
  })

  it('shows the CSV of its request', async () => {
    const [, path = ''] = /```\nGET (\/api\/articles\/export\S*)\n```/.exec(page) ?? []
    const origin = await served()
    const response = await fetch(`${origin}${path}&filters[title]=Dawn`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const withoutIds = (csv: string): string =>
      csv.replaceAll(/\b\d+(?=[,}])|\b[a-z0-9]{24}\b|(?<=documentId"":"")\w+/g, '?').replaceAll('\r\n', '\n')
    expect(withoutIds(await response.text())).toBe(withoutIds(blocks('csv').join('')))
  })

  it('keeps a complete export', async () => {
    const origin = await served()
    expect(await run(kept, origin)).toBe(0)
    expect(entriesIn(join(folder, 'articles.ndjson'))).toBe(titles.length)
    await runFetch(origin)
    expect(entriesIn(join(folder, 'fetched.ndjson'))).toBe(titles.length)
  })

  describe('an incomplete export', () => {
    it('fails in curl with code 18', async () => {
      const target = kept.replaceAll('articles.', 'cut.')
      expect(await run(target, await served(failing()))).toBe(18)
      expect([existsSync(join(folder, 'cut.part')), existsSync(join(folder, 'cut.ndjson'))]).toEqual([
        true,
        false,
      ])
    })

    it('fails in fetch, while the body is read', async () => {
      await rename(join(folder, 'fetched.ndjson'), join(folder, 'before.ndjson'))
      await expect(runFetch(await served(failing()))).rejects.toThrow('terminated')
      expect(existsSync(join(folder, 'fetched.ndjson'))).toBe(false)
    })

    it('is no JSON', async () => {
      const command = `curl -s -H "Authorization: Bearer $TOKEN" -o cut.json 'https://example.com/api/articles/export?format=json'`
      expect(await run(command, await served(failing()))).toBe(18)
      expect(() => JSON.parse(readFileSync(join(folder, 'cut.json'), 'utf8')) as unknown).toThrow(SyntaxError)
    })
  })

  it('names the options', () => {
    const [, table = ''] = /(\| option [^]*?)\n\n/.exec(page) ?? []
    const names = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name)
    const wrong = Object.fromEntries([...names, 'other'].map((name) => [name, null]))
    const faults = listExports(wrong).check?.({} as never, null) ?? []
    expect(faults.map(({ where }) => where)).toEqual(['other', ...names].map((name) => `listExports.${name}`))
    expect(() => runInNewContext(limited, { listExports }) as unknown).not.toThrow()
  })
})
