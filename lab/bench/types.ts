// What types cost: 300 definitions with seven links each are written as types, and a compiler reads 300 queries of them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { contentTypes } from '../../tools/types'
import { typesForRole } from '../../lib/http'
import { readSchema } from '../../lib/schema'

const count = 300
const linksEach = 7
const folder = join(__dirname, '..', '..', '.tmp', 'bench-types')

const kinds = [
  'string',
  'uid',
  'richtext',
  'decimal',
  'integer',
  'date',
  'datetime',
  'boolean',
  'json',
  'text',
]

function definition(at: number): object {
  const scalars = kinds.map((type) => [`own${type}`, { type }])
  const links = Array.from({ length: linksEach }, (_, link) => {
    const target = `type${String((at * linksEach + link * 13 + 1) % count)}`
    const relation = link % 2 === 0 ? 'manyToOne' : 'manyToMany'
    return [`link${String(link)}`, { type: 'relation', relation, target: `api::${target}.${target}` }]
  })
  const name = `type${String(at)}`
  return {
    kind: 'collectionType',
    collectionName: `${name}s`,
    info: { singularName: name, pluralName: `${name}s` },
    attributes: Object.fromEntries([...scalars, ...links]) as object,
  }
}

const link = (at: number): string => `link${String(at % linksEach)}`

/** Five levels. */
const populate = (at: number): string =>
  `populate: { ${link(at)}: { fields: ['ownuid'], populate: { ${link(at + 1)}: { populate: { ${link(at + 2)}: { populate: { ${link(at + 3)}: { fields: ['owndate'], populate: ['${link(at + 4)}'] } } } } } } } }`

const more = `fields: ['ownstring', 'owndecimal'], sort: ['link1.ownstring:desc', 'owndatetime'],
  filters: { ownstring: { $contains: 'x' }, link2: { owndecimal: { $gt: 3 } }, link1: { $some: { ownboolean: true } } },`

const head = `import type { Content } from './content'
import type { ContentReader } from '../../extensions/client'
declare const api: ContentReader<Content, object>
`

const options: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  types: [],
  lib: ['lib.es2022.d.ts'],
}

interface Compiled {
  readonly instantiations: number
  readonly ms: number
}

/** Down all five levels: of an answer that nobody looks into, a compiler works out nothing. */
const looked = (at: number): string => {
  const [first, ...others] = Array.from({ length: 5 }, (_, level) => listed(at + level))
  return `.then(({ data }) => data[0]?.${first ?? ''}?.${others.join('?.')}?.id)`
}
const listed = (at: number): string => ((at % linksEach) % 2 === 0 ? link(at) : `${link(at)}[0]`)

function compile(
  name: string,
  queries: (at: number) => string | null,
  read: (at: number) => string = () => '',
): Compiled {
  const file = join(folder, `${name}.ts`)
  const lines = Array.from({ length: count }, (_, at) => {
    const query = queries(at)
    return query === null
      ? ''
      : `export const q${String(at)} = api.find('type${String(at)}s', { ${query} })${read(at)}`
  })
  writeFileSync(file, `${head}${lines.join('\n')}\nexport { api }\n`)
  const from = performance.now()
  const program = ts.createProgram([file], options)
  const problems = ts.getPreEmitDiagnostics(program)
  if (problems.length > 0) throw new Error(ts.formatDiagnostics(problems, ts.createCompilerHost(options)))
  return { instantiations: program.getInstantiationCount(), ms: performance.now() - from }
}

function say(name: string, { instantiations, ms }: Compiled, none: Compiled): void {
  const each = Math.round((instantiations - none.instantiations) / count)
  process.stdout.write(`${name}: ${(ms / 1000).toFixed(1)} s, ${String(each)} instantiations a query\n`)
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const definitions = Array.from({ length: count }, (_, at) => definition(at)) as Parameters<
  typeof readSchema
>[0]
const from = performance.now()
const schema = readSchema(definitions)
const { types, options: filled } = typesForRole({ contentTypes: definitions, database: {} }, schema, 'all')
const text = contentTypes(types, schema, filled)
writeFileSync(join(folder, 'content.ts'), text)
process.stdout.write(
  `${String(count)} types are written in ${String(Math.round(performance.now() - from))} ms, ${String(text.length)} letters\n`,
)
const none = compile('none', () => null)
say('300 queries, five levels', compile('populate', populate), none)
say('the same, and looked into', compile('looked', populate, looked), none)
say(
  'the same with fields, sorts and filters',
  compile('all', (at) => `${more} ${populate(at)}`, looked),
  none,
)
