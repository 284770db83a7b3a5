import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import ts from 'typescript'

/** A room may look back, never forward; those of one line know nothing of each other. Each extension is a room. */
const order = [
  ['errors', 'operators', 'reader', 'memory'],
  ['schema'],
  ['database'],
  ['freshness'],
  ['config'],
  ['tables'],
  ['query'],
  ['plan'],
  ['access'],
  ['sql'],
  ['read'],
  ['json'],
  ['cache'],
  ['describe'],
  ['http'],
  ['index'],
  ['extensions'],
  ['tools/types'],
  ['tools/introspect'],
  ['tools/start'],
  ['tools/command'],
]

const homes: Readonly<Record<string, readonly string[]>> = {
  ajv: ['schema', 'extensions/mcp'],
  dotenv: ['extensions/strapi'],
  jiti: ['extensions/strapi'],
  qs: ['query'],
  knex: ['database', 'tables', 'sql', 'extensions/seed', 'tools/start'],
  express: ['http', 'extensions/explorer', 'extensions/mcp', 'extensions/observe', 'tools/start'],
  'lru-cache': ['memory'],
  jsonwebtoken: ['extensions/strapi'],
  pluralize: ['tools/introspect'],
  '@opentelemetry/api': ['extensions/observe'],
  'prom-client': ['extensions/observe'],
  '@modelcontextprotocol/sdk': ['extensions/mcp', 'tools/command'],
}

/** The types of a foreign package that the public face speaks in. */
const homesOfTypes: Readonly<Record<string, readonly string[]>> = {
  express: [
    'config',
    'extensions/changes',
    'extensions/openapi',
    'extensions/queries',
    'extensions/search',
    'extensions/strapi',
  ],
}

/** Where the clock on the wall is meant: elsewhere's dates are read by it. It may be set at any time, so nothing else may tell age by it. */
const readsTheClock = [
  'extensions/strapi/api-tokens',
  'extensions/client/send-request',
  'extensions/observe/open-telemetry',
  'extensions/seed/begin',
]

const longest = 400

/** Of all functions, those that take so many values that their order has to be looked up. */
const manyParameters = 4
const largestShare = 0.03

interface Import {
  readonly specifier: string
  readonly typeOnly: boolean
}

interface Source {
  /** Relative to the checked folder, without extension: `lib/schema/link`. */
  readonly name: string
  readonly room: string
  readonly lines: number
  readonly imports: readonly Import[]
  /** The names of its types, which are not to stand for something else in another file. */
  readonly types: readonly string[]
  readonly exports: readonly string[]
  readonly tellsTime: boolean
  /** How many parameters each of its functions has. */
  readonly parameters: readonly number[]
}

function specifierOf(node: ts.Node): { specifier: ts.Node | undefined; typeOnly: boolean } | undefined {
  if (ts.isImportDeclaration(node)) {
    return {
      specifier: node.moduleSpecifier,
      typeOnly: node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword,
    }
  }
  if (ts.isExportDeclaration(node)) return { specifier: node.moduleSpecifier, typeOnly: node.isTypeOnly }
  if (ts.isExternalModuleReference(node)) return { specifier: node.expression, typeOnly: false }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { specifier: node.argument.literal, typeOnly: true }
  }
  if (!ts.isCallExpression(node)) return undefined
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require'
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isRequire || isImport ? { specifier: node.arguments[0], typeOnly: false } : undefined
}

const isDate = (node: ts.Node): boolean => ts.isIdentifier(node) && node.text === 'Date'

/** What reads or writes a given instant, or is a type. All else that can be done with `Date` may tell what time it is. */
function isTimeless(date: ts.Node): boolean {
  const { parent } = date
  if (ts.isTypeReferenceNode(parent)) return true
  if (ts.isNewExpression(parent)) return (parent.arguments?.length ?? 0) > 0
  if (ts.isBinaryExpression(parent)) return parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword
  return ts.isPropertyAccessExpression(parent) && ['parse', 'UTC'].includes(parent.name.text)
}

const isType = (
  node: ts.Node,
): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.EnumDeclaration =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node)

function exportsOf(node: ts.Node): readonly string[] {
  const isExported =
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  if (!isExported) return []
  const declared = ts.isVariableStatement(node) ? node.declarationList.declarations : [node]
  return declared.flatMap((one) => {
    const name = ts.getNameOfDeclaration(one as ts.Declaration)
    return name !== undefined && ts.isIdentifier(name) ? [name.text] : []
  })
}

function read(text: string): Omit<Source, 'name' | 'room' | 'lines'> {
  const imports: Import[] = []
  const types: string[] = []
  const exports: string[] = []
  const parameters: number[] = []
  let tellsTime = false
  function visit(node: ts.Node): void {
    const found = specifierOf(node)
    if (found?.specifier && ts.isStringLiteralLike(found.specifier)) {
      imports.push({ specifier: found.specifier.text, typeOnly: found.typeOnly })
    }
    if (isType(node)) types.push(node.name.text)
    exports.push(...exportsOf(node))
    if (ts.isClassDeclaration(node) && node.name !== undefined) types.push(node.name.text)
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined)
      parameters.push(node.parameters.length)
    if (isDate(node) && !isTimeless(node)) tellsTime = true
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true))
  return { imports, types, exports, tellsTime, parameters }
}

/** Rooms beside lib have its folder in their names. The migrations are parts of the room that runs them. */
function roomOf(name: string): string {
  const [top = '', room = ''] = name.split('/')
  if (top === 'migrations') return 'tables'
  return top === 'lib' ? room : `${top}/${room}`
}

/** What is published, whose rooms have an order, and what is beside it, which is to have no circles either. */
const rooms = ['lib', 'extensions', 'tools', 'migrations']
const page = join('extensions', 'explorer', 'page')
const besides = ['examples', page, 'lab', 'spec']

const filesIn = (folder: string, top: string): readonly string[] =>
  existsSync(join(folder, top))
    ? readdirSync(join(folder, top), { recursive: true, encoding: 'utf8' })
        // Clients of Strapi may be installed beside their spec.
        .filter((file) => /\.tsx?$/.test(file) && !file.split(sep).includes('node_modules'))
        .map((file) => join(top, file))
        .filter((file) => top === page || !file.startsWith(page + sep))
    : []

function readSources(folder: string, tops: readonly string[]): ReadonlyMap<string, Source> {
  const files = tops.flatMap((top) => filesIn(folder, top))
  const sources = files.map((file) => {
    const name = file
      .split(sep)
      .join('/')
      .replace(/\.tsx?$/, '')
    const text = readFileSync(join(folder, file), 'utf8')
    return { name, room: roomOf(name), lines: text.trimEnd().split('\n').length, ...read(text) }
  })
  return new Map(sources.map((source) => [source.name, source]))
}

/** What a relative import names, as a source's name: itself, or the `index` of the folder it names. */
function targetOf(
  source: Source,
  specifier: string,
  sources: ReadonlyMap<string, Source>,
): Source | undefined {
  const name = relative('.', join(dirname(source.name), specifier))
    .split(sep)
    .join('/')
  return sources.get(name) ?? sources.get(`${name}/index`)
}

const rankOf = (room: string): number =>
  order.findIndex((rooms) => rooms.includes(room.startsWith('extensions/') ? 'extensions' : room))
const isRelative = ({ specifier }: Import): boolean => specifier.startsWith('.')

function entryFault(source: Source, target: Source): string | undefined {
  if (source.room === target.room) return undefined
  if (rankOf(target.room) >= rankOf(source.room)) return `${source.name} looks forward to ${target.name}`
  const isDoor = [`lib/${target.room}`, `${target.room}/index`, target.room].includes(target.name)
  return isDoor ? undefined : `${source.name} enters ${target.room} by ${target.name}, not by its door`
}

function foreignFault({ name, room }: Source, { specifier, typeOnly }: Import): string | undefined {
  if (isBuiltin(specifier)) return undefined
  const owner = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  const rooms = [...(homes[owner] ?? []), ...(typeOnly ? (homesOfTypes[owner] ?? []) : [])]
  return rooms.includes(room)
    ? undefined
    : `${name} imports ${specifier}, whose home is ${rooms.join(', ') || 'nowhere'}`
}

function faultsOf(source: Source, sources: ReadonlyMap<string, Source>): readonly (string | undefined)[] {
  const imports = source.imports.map((found) => {
    if (!isRelative(found)) return foreignFault(source, found)
    const target = targetOf(source, found.specifier, sources)
    return target
      ? entryFault(source, target)
      : `${source.name} imports ${found.specifier}, which is no source`
  })
  return [
    rankOf(source.room) < 0 ? `${source.name} is in no room` : undefined,
    source.lines > longest ? `${source.name} has ${String(source.lines)} lines` : undefined,
    source.tellsTime && !readsTheClock.includes(source.name)
      ? `${source.name} looks at the clock on the wall`
      : undefined,
    ...imports,
  ]
}

function targetsOf(source: Source, sources: ReadonlyMap<string, Source>): readonly Source[] {
  const targets = source.imports
    .filter(isRelative)
    .map(({ specifier }) => targetOf(source, specifier, sources))
  return targets.filter((target) => target !== undefined)
}

/** One way round for every source that can reach itself, starting at the first of its circle. */
function circles(sources: ReadonlyMap<string, Source>): readonly string[] {
  const found: string[] = []
  const finished = new Set<Source>()
  function walk(source: Source, trail: readonly Source[]): void {
    const start = trail.indexOf(source)
    if (start >= 0)
      found.push(`a circle: ${[...trail.slice(start), source].map(({ name }) => name).join(' > ')}`)
    if (start >= 0 || finished.has(source)) return
    for (const target of targetsOf(source, sources)) walk(target, [...trail, source])
    finished.add(source)
  }
  for (const source of sources.values()) walk(source, [])
  return found
}

/** One name for one idea. */
/** What stands in several files though it is to stand for one thing. */
function inSeveral(
  sources: ReadonlyMap<string, Source>,
  namesIn: (source: Source) => readonly string[],
  what: string,
): readonly string[] {
  const homes = new Map<string, string[]>()
  for (const source of sources.values()) {
    for (const one of namesIn(source)) homes.set(one, [...(homes.get(one) ?? []), source.name])
  }
  return [...homes].flatMap(([one, files]) =>
    files.length === 1 ? [] : [`${one} is ${what} ${files.join(' and in ')}`],
  )
}

const isMigration = (name: string): boolean => name.startsWith('migrations/')

/** Types, exported or not; and what else a file gives out. Those of migrations are called by their tool. */
const namesOfSeveral = (sources: ReadonlyMap<string, Source>): readonly string[] => [
  ...inSeveral(sources, ({ types }) => types, 'a type in'),
  ...inSeveral(
    sources,
    ({ name, exports, types }) => (isMigration(name) ? [] : exports.filter((own) => !types.includes(own))),
    'exported in',
  ),
]

/** Without the sign of the plural. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split('-')
    .map((word) => word.replace(/(?<=[^s])s$/, ''))

/** Whoever knows the word for an idea guesses the file: some export has every word of the file's name in its own. */
function misnamed({ name, exports }: Source): readonly string[] {
  const [, , ...path] = name.split('/')
  const file = path.at(-1)
  if (file === undefined || file === 'index' || isMigration(name)) return []
  const says = (own: string): boolean => wordsOf(file).every((word) => wordsOf(own).includes(word))
  return exports.some(says) ? [] : [`${name} exports nothing of its name`]
}

/** Values that travel together have one name; a function of many parameters is the exception. */
function manyParametersIn(sources: ReadonlyMap<string, Source>): readonly string[] {
  const counts = [...sources.values()].flatMap(({ parameters }) => parameters)
  const many = counts.filter((count) => count >= manyParameters).length
  if (many < counts.length * largestShare || many === 0) return []
  return [`${String(many)} of ${String(counts.length)} functions have four parameters or more`]
}

/** Everything in a folder that breaks the rules of the house: in the library all of them, beside it that of circles. */
export function violations(folder: string): readonly string[] {
  const sources = readSources(folder, rooms)
  const faults = [...sources.values()].flatMap((source) => faultsOf(source, sources))
  return [
    ...faults.filter((fault) => fault !== undefined),
    ...circles(new Map([...sources, ...readSources(folder, besides)])),
    ...namesOfSeveral(sources),
    ...manyParametersIn(sources),
    ...[...sources.values()].flatMap(misnamed),
  ]
}
