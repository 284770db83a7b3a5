// Proves that an extension can be deleted: for each, a copy of the repository without its folder, its specs and its entry point
// type-checks, and answers requests byte for byte as the whole repository does. For one extension, by turns (.ci/turn), the copy
// passes spec/meaning too; what follows `--` goes to Jest.
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} = require('node:fs')
const { tmpdir } = require('node:os')
const { join, relative } = require('node:path')

const root = join(__dirname, '..')
const extensions = readdirSync(join(root, 'extensions'))
const turn = Number(readFileSync(join(__dirname, 'turn'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'content-router-deletion-'))
const compiler = join(root, 'node_modules', 'typescript7', 'bin', 'tsc')

const usesExtension = (text, name) =>
  new RegExp(`extensions/${name}['/]|express-content-router/${name}'`).test(text)

function copyWithout(name) {
  const copy = join(folder, name ?? 'whole')
  const isKept = (path) => name === undefined || path !== join(root, 'extensions', name)
  for (const part of ['lib', 'migrations', 'extensions', 'content-types'])
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: isKept })
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  delete manifest.exports[`./${name}`]
  writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest))
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { rootDir: '.', types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] },
      include: ['lib', 'migrations', 'extensions'],
      exclude: ['extensions/explorer/page'],
    }),
  )
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

const typescript = join(root, 'lab', 'bench', 'typescript.cjs')
const node = (script, ...words) =>
  execFileSync(process.execPath, ['--require', typescript, join(__dirname, script), ...words], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })

function passMeaning(name) {
  const copy = join(folder, 'meaning')
  const left = new Set([
    'node_modules',
    'dist',
    '.git',
    '.tmp',
    `extensions/${name}`,
    `spec/extensions/${name}`,
  ])
  cpSync(root, copy, {
    recursive: true,
    filter: (path) => !left.has(relative(root, path)) && !path.endsWith('node_modules'),
  })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const jest = join(root, 'node_modules', '.bin', 'jest')
  // With CI=true every server would have to run.
  const environment = { ...process.env, DATABASES: 'sqlite', CI: '' }
  const words = [jest, 'spec/meaning', ...process.argv.slice(2)]
  execFileSync(process.execPath, words, { cwd: copy, stdio: 'inherit', env: environment })
}

const importedByMeaning = (name) =>
  readdirSync(join(root, 'spec', 'meaning')).some((file) =>
    usesExtension(readFileSync(join(root, 'spec', 'meaning', file), 'utf8'), name),
  )

try {
  const database = join(folder, 'content.sqlite')
  node('deletion-content.cjs', root, database)
  const expected = node('deletion-requests.cjs', copyWithout(), database)
  assert.match(expected, /^200 /)
  for (const name of extensions) {
    const copy = copyWithout(name)
    execFileSync(process.execPath, [compiler, '--noEmit', '-p', copy], { stdio: 'inherit' })
    const actual = node('deletion-requests.cjs', copy, database).split('\n')
    for (const [index, line] of expected.split('\n').entries())
      assert(actual[index] === line, `without ${name} this differs: ${line.slice(0, 200)}`)
    process.stdout.write(`Without ${name}: type-checks, same responses\n`)
  }
  const byTurns = extensions.filter((name) => name !== 'seed' && !importedByMeaning(name))
  const [name] = byTurns.slice(turn % byTurns.length)
  process.stdout.write(`spec/meaning without ${name}\n`)
  passMeaning(name)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
