import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { violations } from '../support/architecture'

describe('the rooms of the library', () => {
  it('look back only, enter each other by the door, and keep foreign packages at home', () => {
    expect(violations(join(__dirname, '..', '..'))).toEqual([])
  })
})

describe('docs/contributing/architecture.md', () => {
  const root = join(__dirname, '..', '..')
  const page = readFileSync(join(root, 'docs', 'contributing', 'architecture.md'), 'utf8')
  const doorsIn = (top: string): readonly string[] =>
    readdirSync(join(root, top)).flatMap((name) =>
      name.endsWith('.ts') ? [name.slice(0, -'.ts'.length)] : [],
    )

  it('lists every room of the library, of the extensions and of the tools, and no other', () => {
    const listed = [...page.matchAll(/^- `((?:lib|extensions|tools)\/\w+)`:/gm)].map(([, room]) => room)
    const extensions = readdirSync(join(root, 'extensions')).map((name) => `extensions/${name}`)
    const doors = ['lib', 'tools'].flatMap((top) => doorsIn(top).map((name) => `${top}/${name}`))
    expect(listed.sort()).toEqual([...doors, ...extensions].sort())
  })

  it('lists every hook of an extension', () => {
    const [, hooks = ''] = /^\| hook +\|(.*?)\n\n/ms.exec(page) ?? []
    const listed = [...hooks.matchAll(/^\| `(\w+)` +\|/gm)].map(([, hook]) => hook)
    const text = readFileSync(join(root, 'lib', 'http', 'extension.ts'), 'utf8')
    const [, members = ''] =
      /^export interface Extension extends DefaultingExtension \{\n(.*?)^\}/ms.exec(text) ?? []
    const own = [...members.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, member]) => member)
    expect(listed.sort()).toEqual(['defaults', ...own].sort())
  })

  it('is short', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(151)
  })
})

describe('what differs by the database', () => {
  const lib = join(__dirname, '..', '..', 'lib')
  const textOf = (file: string): string => readFileSync(join(lib, file), 'utf8')

  it('is looked up by the name of the database, which no file compares but those that read options', () => {
    const files = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !/^database\b/.test(file),
    )
    const name = "'(?:sqlite|mysql|postgres)'"
    const comparing = new RegExp(
      `\\bdialect(?:\\.name)? [!=]==|switch \\([^)]*dialect|[!=]== ${name}|case ${name}`,
      'i',
    )
    expect(comparing.test("if (database.dialect !== 'mysql') return")).toBe(true)
    expect(files.filter((file) => comparing.test(textOf(file)))).toEqual([])
  })

  it('takes at most 28 members of the interface of a dialect', () => {
    const source = ts.createSourceFile(
      'dialect.ts',
      textOf('sql/dialects/dialect.ts'),
      ts.ScriptTarget.Latest,
    )
    const members = source.statements.flatMap((one) =>
      ts.isInterfaceDeclaration(one) && one.name.text === 'Dialect' ? [...one.members] : [],
    )
    expect(members.length).toBeGreaterThan(10)
    expect(members.length).toBeLessThanOrEqual(28)
  })
})

describe('the docs', () => {
  it('name files that are there', () => {
    const root = join(__dirname, '..', '..')
    const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    const pages = [
      'README.md',
      'CHANGELOG.md',
      ...docs.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`),
    ]
    const named = pages.flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8')
      const paths = text.matchAll(/`((?:spec|lib|extensions|tools|lab|examples|docs|migrations)\/[\w./-]+)`/g)
      return [...paths].map(([, path = '']) => ({ page, path }))
    })
    expect(named.length).toBeGreaterThan(50)
    const isThere = ({ path }: { readonly path: string }): boolean =>
      ['', '.ts', '.spec.ts', '.long.spec.ts'].some((end) => existsSync(join(root, path + end)))
    expect(named.filter((one) => !isThere(one))).toEqual([])
  })
})

describe('docs/README.md', () => {
  it('lists each page', () => {
    const docs = join(__dirname, '..', '..', 'docs')
    const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(?!README|decisions).*\.md$/.test(file),
    )
    const listed = [...readFileSync(join(docs, 'README.md'), 'utf8').matchAll(/^- \[.+\]\((.+\.md)\)$/gm)]
    const inRepository = /^https:.*\/blob\/main\/docs\//
    expect(listed.map(([, path = '']) => path.replace(inRepository, '')).toSorted()).toEqual(pages.toSorted())
  })
})

describe('the check of the rooms', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'content-router-rooms-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })

  function found(files: Readonly<Record<string, string>>): readonly string[] {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    return violations(folder)
  }

  it('is content with rooms that look back through doors', () => {
    const files = {
      'lib/errors.ts': `export const fault = 1`,
      'lib/schema.ts': `import Ajv from 'ajv'\nimport { fault } from './errors'\nexport * from './schema/link'`,
      'lib/schema/link.ts': `import { fault } from '../errors'\nimport { join } from 'node:path'\nexport type Link = 1`,
      'lib/config.ts': `import type { Request } from 'express'`,
      'migrations/first.ts': `import { layout } from '../lib/tables/layout'`,
      'lib/tables/layout.ts': `export const layout = 1`,
    }
    expect(found(files)).toEqual([])
  })

  it('is content with extensions and tools that enter by doors', () => {
    const files = {
      'lib/schema.ts': `export const schema = 1`,
      'extensions/search/index.ts': `import { rank } from './rank'\nexport const search = rank`,
      'extensions/search/rank.ts': `import { schema } from '../../lib/schema'\nexport const rank = schema`,
      'tools/start.ts': `import { search } from '../extensions/search'\nimport { schema } from '../lib/schema'`,
      'tools/command.ts': `import './command/run'`,
      'tools/command/run.ts': `import '../start'\nexport const run = 1`,
    }
    expect(found(files)).toEqual([])
  })

  it.each([
    ['lib/schema', '../extensions/search', 'lib/schema looks forward to extensions/search/index'],
    ['lib/schema', '../tools/start', 'lib/schema looks forward to tools/start'],
    ['migrations/first', '../tools/start', 'migrations/first looks forward to tools/start'],
    [
      'extensions/files/index',
      '../search',
      'extensions/files/index looks forward to extensions/search/index',
    ],
    ['extensions/files/index', '../../tools/start', 'extensions/files/index looks forward to tools/start'],
    [
      'extensions/files/index',
      '../../lib/plan/level',
      'extensions/files/index enters plan by lib/plan/level, not by its door',
    ],
    [
      'tools/command',
      '../extensions/search/rank',
      'tools/command enters extensions/search by extensions/search/rank, not by its door',
    ],
  ])('notices that %s imports %s', (importing, specifier, fault) => {
    const files = {
      'lib/plan.ts': '',
      'lib/plan/level.ts': 'export type Level = 1',
      'extensions/search/index.ts': '',
      'extensions/search/rank.ts': 'export type Rank = 1',
      'tools/start.ts': '',
      [`${importing}.ts`]: `import '${specifier}'`,
    }
    expect(found(files)).toEqual([fault])
  })

  it.each([
    ['an import', `import { load } from './read'`],
    ['a type import', `import type { Row } from './read'`],
    ['an export', `export { load } from './read'`],
    ['the type of an import', `export type Row = import('./read').Row`],
    ['a dynamic import', `export const later = () => import('./read')`],
    ['a require', `export const load = require('./read')`],
    ['an import assignment', `import load = require('./read')`],
  ])('notices a look forward through %s', (_form, text) => {
    expect(found({ 'lib/query.ts': text, 'lib/read.ts': '' })).toEqual([
      'lib/query looks forward to lib/read',
    ])
  })

  it('notices who enters a room by the window', () => {
    const files = { 'lib/read.ts': `import './plan/level'`, 'lib/plan/level.ts': 'export type Level = 1' }
    expect(found(files)).toEqual(['lib/read enters plan by lib/plan/level, not by its door'])
  })

  it.each(['import { three } from', 'import type { Three } from'])(
    'notices a circle closed by "%s"',
    (form) => {
      const files = {
        'lib/plan.ts': `import './plan/one'`,
        'lib/plan/one.ts': `import './two'\nexport const one = 1`,
        'lib/plan/two.ts': `${form} './three'\nexport const two = 1`,
        'lib/plan/three.ts': `import './one'\nexport const three = 1`,
      }
      expect(found(files)).toEqual([expect.stringMatching(/^a circle: (.*) > .* > .* > \1$/)])
    },
  )

  it.each(['lab', 'spec/support'])(
    'notices a circle in %s, and asks nothing else of what is beside the library',
    (top) => {
      const files = {
        [`${top}/run.ts`]: `import 'left-pad'\nimport type { Side } from './sides'`,
        [`${top}/sides/index.ts`]: `import '../ours'\nexport interface Side {}`,
        [`${top}/ours.ts`]: `import { type Side } from './sides'\nexport const now = Date.now()`,
      }
      expect(found(files)).toEqual([expect.stringMatching(/^a circle: (.*) > .* > \1$/)])
    },
  )

  it('notices a foreign package away from home', () => {
    const files = {
      'lib/plan.ts': `import type { Knex } from 'knex'`,
      'lib/config.ts': `import { Router } from 'express'`,
      'lib/http.ts': `import leftPad from 'left-pad'`,
    }
    expect([...found(files)].sort()).toEqual([
      'lib/config imports express, whose home is http, extensions/explorer, extensions/mcp, extensions/observe, tools/start',
      'lib/http imports left-pad, whose home is nowhere',
      'lib/plan imports knex, whose home is database, tables, sql, extensions/seed, tools/start',
    ])
  })

  it.each([
    'const now = Date.now()',
    'const now = new Date()',
    'const now = new Date',
    'const now = Date()',
    'const { now } = Date',
    'const clock = Date',
    "const now = Date['now']()",
    'const now = globalThis.Date.now()',
  ])('notices who tells time by the clock on the wall: %s', (text) => {
    const files = {
      'lib/database.ts': text,
      'extensions/strapi/api-tokens.ts': `${text}\nexport const readApiTokens = 1`,
      'extensions/strapi/index.ts': '',
    }
    expect(found(files)).toEqual(['lib/database looks at the clock on the wall'])
  })

  it('lets everybody read and write an instant', () => {
    const text = `export const year = (date: Date | string): number =>
      date instanceof Date ? date.getTime() : Date.parse(date) + Date.UTC(1970, 1) + new Date(date).getTime()`
    expect(found({ 'lib/database.ts': text })).toEqual([])
  })

  it('notices one name under which two files give out different things', () => {
    const files = {
      'lib/schema.ts': 'export const closing = 1',
      'lib/json.ts': `import { closing } from './schema'\nexport function fill() {}`,
      'lib/plan.ts': 'export const closing = 2\nconst fill = 1',
      'lib/read.ts': `export { closing } from './schema'`,
    }
    expect(found(files)).toEqual(['closing is exported in lib/plan and in lib/schema'])
  })

  it('notices one name for two types, whether they are exported or not', () => {
    const files = {
      'lib/schema.ts': 'export interface Reading {}',
      'lib/json.ts': 'class Reading {}',
      'lib/plan.ts': `import type { Reading } from './schema'\ntype Read = Reading`,
      'lib/read.ts': `export type { Reading } from './schema'`,
    }
    expect(found(files)).toEqual(['Reading is a type in lib/json and in lib/schema'])
  })

  it.each([
    ['along', 'export const inlineTargets = 1'],
    ['build-models', 'export const buildLinks = 1\nexport type Model = 1'],
    ['link', 'const link = 1\nexport default link'],
  ])('notices that %s is not what the file exports', (file, text) => {
    expect(found({ 'lib/plan.ts': '', [`lib/plan/${file}.ts`]: text })).toEqual([
      `lib/plan/${file} exports nothing of its name`,
    ])
  })

  it.each([
    ['inline-targets', 'export interface InlineTarget {}'],
    ['names', 'export function tableName() {}'],
    ['api-tokens', 'export const later = 1, readApiTokens = 2'],
    ['class-of-rows', 'export class ClassOfRow {}'],
  ])('finds %s in what the file exports', (file, text) => {
    expect(found({ 'lib/plan.ts': '', [`lib/plan/${file}.ts`]: text })).toEqual([])
  })

  const functionsOf = (parameters: string, others: number): Readonly<Record<string, string>> => ({
    'lib/plan.ts': `export class Plan { make = (${parameters}) => 1 }`,
    'lib/query.ts': 'function read(a: 1, b: 2, c: 3) {}\n'.repeat(others),
  })

  it('notices that three functions of a hundred take four parameters or more', () => {
    expect(found(functionsOf('a, b, c = 1, ...rest', 32))).toEqual([
      '1 of 33 functions have four parameters or more',
    ])
  })

  it('allows a function with four parameters among many that have fewer, and says nothing of types', () => {
    const types =
      'export interface Level { make(a: 1, b: 2, c: 3, d: 4): 5 }\ntype Make = (a: 1, b: 2, c: 3, d: 4) => 5'
    expect(found({ ...functionsOf('a, b, c, d', 33), 'lib/plan/level.ts': types })).toEqual([])
  })

  it('notices a file that grew too long, a file in no room and an import of nothing', () => {
    const files = {
      'lib/read.ts': 'export {}\n'.repeat(401),
      'lib/utils.ts': '',
      'lib/http.ts': `import './gone'`,
    }
    expect([...found(files)].sort()).toEqual([
      'lib/http imports ./gone, which is no source',
      'lib/read has 401 lines',
      'lib/utils is in no room',
    ])
  })
})

const specs = join(__dirname, '..')

describe('servers of specs', () => {
  const names = readdirSync(specs, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name.endsWith('.ts') && !name.includes('node_modules') && !name.endsWith('architecture.spec.ts'),
  )
  const texts = names.map((name) => [name, readFileSync(join(specs, name), 'utf8')] as const)

  it('close no connection for being idle, which would be a fault to who just asks over it', () => {
    const serving = texts.filter(([, text]) => /\bcreateServer\b[^;]* from 'node:http'/.test(text))
    expect(serving.length).toBeGreaterThan(10)
    expect(serving.filter(([, text]) => !text.includes('keepAliveTimeout')).map(([name]) => name)).toEqual([])
  })

  it('are asked for their sessions without conditions, at which MySQL stops where one of another spec says an emoji', () => {
    const asking = texts.filter(([, text]) => text.includes('processlist'))
    expect(asking.length).toBeGreaterThan(0)
    const byCondition = /\bprocesslist\s+where (?!id = connection_id\(\))/
    expect(asking.filter(([, text]) => byCondition.test(text)).map(([name]) => name)).toEqual([])
  })
})

describe('specs that wait until a tag or a kept answer holds, or count what was kept', () => {
  const folder = specs
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.spec.ts') && !name.endsWith('architecture.spec.ts'),
  )
  const texts = files.map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
  // A file of SQLite belongs to one spec.
  const isOnSqliteAlone = /^ *onSqlite\(/m
  const waiting = texts.filter(
    ([, text]) =>
      /support\/(tags|cached)'|\bhits\b.*\bstats\(\)|\bstats\(\)\.hits\b/.test(text) &&
      !isOnSqliteAlone.test(text),
  )

  it('have a server of their own, as what is committed by others on it changes both', () => {
    expect(waiting.length).toBeGreaterThan(5)
    const isAlone = /support\/(own-server|killable|library-standby|servers\/\w+)'|\bonFollowedLibrary\b/
    expect(waiting.filter(([, text]) => !isAlone.test(text)).map(([name]) => name)).toEqual([])
  })
})

describe('slow specs', () => {
  it('are listed in .ci/slow.json, each once', () => {
    const slow = join(specs, 'slow')
    const files = readdirSync(slow, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.spec.ts') && !name.includes('node_modules'),
    )
    const listed = JSON.parse(readFileSync(join(specs, '..', '.ci', 'slow.json'), 'utf8')) as object
    expect(Object.keys(listed).sort()).toEqual(files.map((name) => name.replace('.spec.ts', '')).sort())
  })
})
